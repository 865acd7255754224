// Every shipped vector, stage by stage and through the composed functions; every successful parse is re-encoded.
// Rules: FORMAT.md 7.1.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { packBits, unpackBits } from '../../protocol/bits.ts'
import { crc32 } from '../../protocol/crc.ts'
import * as protocol from '../../protocol/index.ts'
import { insertSync, interleave, POSITION_SLOTS } from '../../protocol/interleave.ts'
import { joinLevels, labelTone, toneLabel } from '../../protocol/labels.ts'
import {
  encodeLevels,
  INFORMATION_POSITIONS,
  placeInformation,
  polarTransform,
} from '../../protocol/polar.ts'
import { readFields, type WrittenFields, writeFields } from '../fixtures/vectors/days.ts'
import {
  type CodeVector,
  fromHex,
  readVectors,
  vectorsOf,
  type WaveformVector,
} from './vector-files.ts'

const { toHex } = protocol

type Invalid<Input> = Input & { name: string; code: string }

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof protocol.ProtocolError) return error.code
    throw error
  }
  return 'none'
}

test('constants.json contains our tables', () => {
  interface Table {
    bytes: string
    sha256: string
  }
  interface Constants {
    generator: { seed: number; outputs: number[] }
    permutation: Table
    mask: Table
    sync: Table
    information_positions: string[]
    slot_of_code_position: string
    frequencies: { tone: number; slot: number; hz: number }[]
  }
  const constants = readVectors<Constants>('constants.json')
  const next = protocol.xorshift32(constants.generator.seed)
  expect(constants.generator.outputs.map(next)).toEqual(constants.generator.outputs)
  const tables = [
    [constants.permutation, protocol.PERMUTATION],
    [constants.mask, protocol.LABEL_MASK],
    [constants.sync, protocol.SYNC_TONES],
  ] as const
  for (const [table, ours] of tables) {
    expect(table).toEqual({ bytes: toHex(ours), sha256: sha256(ours) })
  }
  expect(constants.information_positions).toEqual(INFORMATION_POSITIONS.map(toHex))
  expect(constants.slot_of_code_position).toBe(POSITION_SLOTS.join(' '))
  for (const { tone, slot, hz } of constants.frequencies) {
    expect(protocol.slotFrequency(tone, slot)).toBe(hz)
  }
})

test.each(vectorsOf<{ bytes: string; crc: string }>('crc.json'))(
  'crc.json: a checksum is $crc',
  ({ bytes, crc }) => {
    expect(crc32(fromHex(bytes))).toBe(Number.parseInt(crc, 16))
  },
)

describe('frames.json', () => {
  interface FrameVector {
    name: string
    fields: WrittenFields
    frame: string
  }
  for (const { name, fields, frame } of vectorsOf<FrameVector>('frames.json')) {
    test(`fields encode to their frame, and the frame decodes to its fields and back: ${name}`, () => {
      expect(toHex(protocol.encodeFrame(readFields(fields)))).toBe(frame)
      const decoded = protocol.decodeFrame(fromHex(frame))
      expect(writeFields(decoded)).toEqual(fields)
      expect(toHex(protocol.encodeFrame(decoded))).toBe(frame)
    })
  }

  test.each(vectorsOf<Invalid<{ fields: WrittenFields }>>('invalid-fields.json'))(
    'encoding fails with $code: $name',
    ({ fields, code }) => {
      expect(codeOf(() => protocol.encodeFrame(readFields(fields)))).toBe(code)
      expect(codeOf(() => protocol.encodeTransmission(readFields(fields)))).toBe(code)
    },
  )

  test.each(vectorsOf<Invalid<{ frame: string }>>('invalid-frames.json'))(
    'decoding fails with $code: $name',
    ({ frame, code }) => {
      expect(codeOf(() => protocol.decodeFrame(fromHex(frame)))).toBe(code)
    },
  )
})

describe('code.json', () => {
  const bitsOf = (digits: string) => unpackBits(fromHex(digits))
  for (const vector of vectorsOf<CodeVector>('code.json')) {
    const labels = fromHex(vector.labels)
    const codeTones = fromHex(vector.code_tones)
    const tones = fromHex(vector.tones)

    test(`each stage from frame to tones yields the vector: ${vector.name}`, () => {
      expect(placeInformation(bitsOf(vector.frame)).map((bits) => toHex(packBits(bits)))).toEqual(
        vector.levels,
      )
      expect(vector.levels.map((level) => toHex(packBits(polarTransform(bitsOf(level)))))).toEqual(
        vector.code_words,
      )
      expect(joinLevels(vector.code_words.map(bitsOf))).toEqual(labels)
      expect(labels.map(labelTone)).toEqual(codeTones)
      expect(insertSync(interleave(codeTones))).toEqual(tones)
      expect(sha256(tones)).toBe(vector.tones_sha256)
      expect(protocol.encodeTones(fromHex(vector.frame))).toEqual(tones)
    })

    test(`each inverse stage from tones to frame yields the vector: ${vector.name}`, () => {
      expect(Uint8Array.from(POSITION_SLOTS, (slot) => tones[slot]!)).toEqual(codeTones)
      expect(codeTones.map(toneLabel)).toEqual(labels)
      const levels = encodeLevels(bitsOf(vector.frame)).map(polarTransform)
      const frameBits = INFORMATION_POSITIONS.flatMap((positions, level) =>
        Array.from(positions, (i) => levels[level]![i]!),
      )
      expect(toHex(packBits(Uint8Array.from(frameBits)))).toBe(vector.frame)
    })
  }

  test('two of the tone lists have the hashes that define V1', () => {
    const hashes = vectorsOf<CodeVector>('code.json').map((vector) => vector.tones_sha256)
    expect(hashes.slice(0, 2)).toEqual([
      '74d32e1f79e3c88d9a4d2fc9223b79ed1db361e57dc022d27c76b08214d79ee6',
      '92b500d43fe1c44f63947c32599f8f9cfd6796ad70a8c25611d9cbf84c9dc767',
    ])
  })

  test('a frame of another length is rejected', () => {
    expect(codeOf(() => protocol.encodeTones(new Uint8Array(105)))).toBe('invalid_frame')
  })
})

describe('waveforms.json', () => {
  for (const vector of vectorsOf<WaveformVector>('waveforms.json')) {
    test(`tones yield their samples and file: ${vector.name}`, () => {
      const samples = protocol.modulate(fromHex(vector.tones))
      expect(samples.length).toBe(vector.samples)
      for (const excerpt of vector.excerpts) {
        const wanted = excerpt.samples.split(' ').map(Number)
        expect(Array.from(samples.subarray(excerpt.from, excerpt.from + wanted.length))).toEqual(
          wanted,
        )
      }
      expect(sha256(protocol.writeWav(samples))).toBe(vector.wav_sha256)
    })
  }

  test.each(vectorsOf<Invalid<{ tones: string }>>('invalid-tones.json'))(
    'modulation fails with $code: $name',
    ({ tones, code }) => {
      expect(codeOf(() => protocol.modulate(fromHex(tones)))).toBe(code)
    },
  )
})

describe('wav.json', () => {
  interface WavVectors {
    vectors: { name: string; file: string; sample_rate: number; channels: number[][] }[]
    invalid: { name: string; file: string; code: string }[]
  }
  const { vectors, invalid } = readVectors<WavVectors>('wav.json')
  const byteByByte = (file: Uint8Array) => {
    const reader = new protocol.WavReader()
    const blocks = Array.from(file, (byte) => reader.push(Uint8Array.of(byte)))
    blocks.push(reader.end())
    return Array.from({ length: reader.format!.channels }, (_, c) =>
      blocks.flatMap((block) => Array.from(block[c] ?? [])),
    )
  }
  for (const { name, file, sample_rate, channels } of vectors) {
    test(`the WAV is read at once and byte by byte: ${name}`, () => {
      const whole = protocol.readWav(fromHex(file))
      expect(whole.format.sampleRate).toBe(sample_rate)
      expect(whole.channels.map((samples) => Array.from(samples))).toEqual(channels)
      expect(byteByByte(fromHex(file))).toEqual(channels)
    })
  }
  for (const { name, file, code } of invalid) {
    test(`reading fails with ${code}: ${name}`, () => {
      expect(codeOf(() => protocol.readWav(fromHex(file)))).toBe(code)
      expect(codeOf(() => byteByByte(fromHex(file)))).toBe(code)
    })
  }
})
