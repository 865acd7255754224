// Whole recordings: their transmissions, diagnostics and errors.
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../../protocol/crc.ts'
import { encodeTones, modulate, SAMPLE_RATE } from '../../../protocol/index.ts'
import { decodeWav, WavDecoder } from '../../../protocol/receiver/index.ts'
import {
  noisy,
  padded,
  quantised,
  type Sound,
  soundOf,
  withDropouts,
} from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { IN_FULL } from '../../support/runs.ts'
import { wavFile } from '../wav/files.ts'
import { expectCleanRead, multichannel, recorded, silence } from './recorded.ts'

const { frame, sound } = sent(2)

describe('clean recordings', () => {
  test.each(IN_FULL ? [0, 4] : [4])(
    'payload %i at another sample rate is decoded with a list of 8',
    expectCleanRead,
  )

  test('a clean recording needs no silence around the transmission', () => {
    expect(decodeWav(recorded(sound)).transmissions[0]?.frame).toEqual(frame)
  })
})

describe('diagnostics', () => {
  test.runIf(IN_FULL)('the diagnostics state how much of the transmission was missing', () => {
    const heard = noisy(padded(withDropouts(sound, 0.15, 1, 3), 1, 1), 8, 2)
    const { diagnostics } = decodeWav(recorded(heard)).transmissions[0]!
    expect(Math.abs(diagnostics.absentPart - 0.15)).toBeLessThan(0.02)
  })
})

describe('several channels', () => {
  const heard = quantised(noisy(padded(sound, 1, 1), 3, 5))
  const read = (...channels: Int16Array[]) =>
    decodeWav(multichannel(...channels)).transmissions[0]?.frame

  test.runIf(IN_FULL)('the receiver decodes channels that cancel in their mean one by one', () => {
    expect(
      read(
        heard,
        heard.map((sample) => -sample),
      ),
    ).toEqual(frame)
  })
})

describe('recordings without a transmission', () => {
  const codeOf = (heard: Sound) => {
    const { transmissions, error } = decodeWav(recorded(heard))
    expect(transmissions).toEqual([])
    expect(error!.message).toMatch(/^[a-z].*[^.]$/)
    return error!.code
  }

  test('a recording is silent when all samples are equal', () => {
    expect(codeOf(silence(40))).toBe('silent')
    expect(codeOf(silence(0))).toBe('silent')
  })

  test('a recording below 10 s is too short', () => {
    expect(codeOf(sound.slice(0, 9 * SAMPLE_RATE))).toBe('too_short')
  })

  test('a streamed file of a few bytes of audio is too short, not silent', () => {
    const streamed = wavFile({ bits: 8, sound: Uint8Array.of(1, 2), dataSize: 0 })
    expect(decodeWav(streamed).error!.code).toBe('too_short')
  })

  test.runIf(IN_FULL)('a recording has no frame when the checksum fails', () => {
    const wrong = frame.with(50, frame[50]! ^ 1)
    expect(codeOf(soundOf(modulate(encodeTones(wrong))))).toBe('no_frame')
  })

  test('a recording has an invalid frame when the checksum holds and a rule is broken', () => {
    const wrong = frame.with(0, 0x22)
    new DataView(wrong.buffer).setUint32(102, crc32(wrong.subarray(0, 102)))
    expect(codeOf(soundOf(modulate(encodeTones(wrong))))).toBe('invalid_frame')
  })

  test('a file that is not a WAV gets the error of the WAV reader', () => {
    expect(decodeWav(new TextEncoder().encode('not a sound')).error!.code).toBe('not_wav')
  })
})

describe('incremental decoding', () => {
  test.runIf(IN_FULL)(
    'incremental decoding returns the same result as decoding at once, for any buffer size',
    () => {
      const file = recorded(noisy(padded(sound, 1, 1), 3, 16))
      const whole = decodeWav(file)
      for (const size of [999, 65_537]) {
        const decoder = new WavDecoder()
        for (let at = 0; at < file.length; at += size) decoder.push(file.subarray(at, at + size))
        expect(decoder.end()).toEqual(whole)
      }
    },
  )
})
