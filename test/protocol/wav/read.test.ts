// The WAV reader: what of codings and containers the vectors and properties.test.ts do not have, and its errors.
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../../../protocol/errors.ts'
import { readWav } from '../../../protocol/wav/read.ts'
import { fromHex, readVectors } from '../vector-files.ts'
import { ascii, chunk, concat, store, u32, type WavRecipe, wavFile } from './files.ts'

const SAMPLES = [0, 0.5, -0.5, 0.25, -1, 0.75]

function mono(recipe: WavRecipe): number[] {
  return Array.from(readWav(wavFile(recipe)).channels[0]!)
}

function errorOf(bytes: Uint8Array): { code: string; message: string } {
  try {
    readWav(bytes)
  } catch (error) {
    if (error instanceof ProtocolError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('the file was read')
}

describe('codings', () => {
  test('20 bits in 24-bit containers read as 24 bits', () => {
    expect(mono({ bits: 20, frameBytes: 3, sound: store(SAMPLES, 24) })).toEqual(SAMPLES)
  })

  test('a big-endian file whose sub-format starts with the upper half of its number is read', () => {
    const file = wavFile({
      container: 'RIFX',
      extensible: true,
      sound: store(SAMPLES, 16, false, true),
    })
    const guid = file.indexOf(0xfe, 20) + 23
    file.set([0, 1, 0, 0], guid)
    expect(Array.from(readWav(file).channels[0]!)).toEqual(SAMPLES)
  })

  test('an extensible file of Ambisonic B-format, whose sub-format ends otherwise, is read', () => {
    const file = wavFile({ extensible: true, channels: 3, sound: store(SAMPLES, 16) })
    file.set([1, 0, 0, 0, 0x21, 0x07, 0xd3, 0x11, 0x86, 0x44, 0xc8, 0xc1, 0xca, 0, 0, 0], 44)
    expect(readWav(file).channels.map((samples) => Array.from(samples))).toEqual([
      [0, 0.25],
      [0.5, -1],
      [-0.5, 0.75],
    ])
  })

  test('absurdly large floats of 64 bits become silence', () => {
    expect(mono({ tag: 3, bits: 64, sound: store([1e300, 0.5], 64, true) })).toEqual([0, 0.5])
  })
})

describe('headers', () => {
  const sound = store(SAMPLES, 16)

  test('a data chunk that states 0 bytes yields its samples even if they are too few for a chunk name', () => {
    expect(mono({ sound: sound.subarray(0, 2), dataSize: 0 })).toEqual(SAMPLES.slice(0, 1))
    const bytes = { bits: 8, sound: store(SAMPLES.slice(0, 2), 8) }
    expect(mono({ ...bytes, dataSize: 0 })).toEqual(SAMPLES.slice(0, 2))
  })

  test('a RIFF size that is wrong does not matter', () => {
    expect(mono({ sound, riffSize: 3 })).toEqual(SAMPLES)
  })

  test('an empty data chunk before another chunk is empty audio, not a streamed file', () => {
    expect(mono({ after: [chunk('LIST', ascii('INFOabcd'))] })).toEqual([])
  })
})

describe('rejected files', () => {
  /** Part of the message for each file of the vectors. */
  const WORDS: Record<string, string> = {
    'an empty file': 'empty',
    'a text': 'another kind of file',
    'a film': 'not contain WAVE audio',
    'four bytes': 'first 12 bytes',
    'half a fmt chunk': 'within its fmt chunk',
    'no data chunk': 'without a data chunk',
    'a chunk that reaches beyond the end': 'without a fmt chunk',
    'sound before its format': 'before the fmt chunk',
    'no channels': '0 channels',
    'no rate': 'a rate of 0',
    'frames that do not fit': 'contradict each other',
    'nine channels': '9 channels',
    '7999 samples a second': '7999',
    '192001 samples a second': '192001',
    'IMA ADPCM': 'IMA ADPCM',
    MP3: 'MP3',
    'floats of 16 bits': '16 bits',
  }
  const { invalid } = readVectors<{ invalid: { name: string; file: string; code: string }[] }>(
    'wav.json',
  )
  test.each(invalid)('the error of $name states what is wrong', ({ name, file, code }) => {
    const message = expect.stringContaining(WORDS[name] ?? 'no words for this file')
    expect(errorOf(fromHex(file))).toEqual({ code, message })
  })

  test.each([
    ['an MP3 file with a tag', 'ID3\x04\0\0\0\0\0\0\0\0\0', 'an MP3 file'],
    ['an MP3 file without a tag', '\xff\xfb\x90\0\0\0\0\0\0\0\0\0\0', 'an MP3 file'],
    ['an MP4 file', '\0\0\0\x20ftypisom\0\0\0\0', 'an MP4 file'],
    ['an Ogg file', 'OggS\0\x02\0\0\0\0\0\0\0', 'an Ogg file'],
    ['a FLAC file', 'fLaC\0\0\0\x22\0\0\0\0\0', 'a FLAC file'],
    ['the start of a film', 'RIFF\0\0\0\0AV', 'not contain WAVE audio'],
  ])('%s is not a WAV', (_, start, words) => {
    const message = expect.stringContaining(words)
    expect(errorOf(ascii(start))).toEqual({ code: 'not_wav', message })
  })

  test.each([
    ['eleven bytes', 'BW64\0\0\0\0WAV', 'first 12 bytes'],
    ['no fmt chunk', 'RIFF\x04\0\0\0WAVE', 'without a fmt chunk'],
  ])('a WAV of %s is truncated', (_, start, words) => {
    const message = expect.stringContaining(words)
    expect(errorOf(ascii(start))).toEqual({ code: 'truncated_wav', message })
  })

  test.each<[string, WavRecipe, string]>([
    ['40-bit PCM', { bits: 40 }, '40 bits'],
    ['MS ADPCM', { tag: 2, bits: 4, frameBytes: 256 }, 'Microsoft ADPCM'],
    ['GSM', { tag: 49, bits: 0, frameBytes: 65 }, 'GSM 6.10'],
    ['AC-3', { tag: 0x2000 }, 'AC-3'],
    ['an unknown tag', { tag: 0x4242 }, '0x4242'],
    ['extensible MP3', { tag: 85, extensible: true }, 'MP3'],
  ])('%s is not supported', (_, recipe, words) => {
    const message = expect.stringContaining(words)
    expect(errorOf(wavFile(recipe))).toEqual({ code: 'unsupported_wav', message })
  })

  test.each([
    ['short', new Uint8Array(14), '14 bytes'],
    [
      'extensible, and cut',
      wavFile({ extensible: true }).subarray(20, 38),
      'before its sub-format',
    ],
  ])('a fmt chunk that is %s is invalid', (_, format, words) => {
    const file = concat(ascii('RIFF'), u32(0), ascii('WAVE'), chunk('fmt ', format))
    expect(errorOf(file)).toEqual({ code: 'invalid_wav', message: expect.stringContaining(words) })
  })

  test('a sub-format that does not encode a format tag, and a ds64 chunk that is too short, are rejected', () => {
    const file = wavFile({ extensible: true })
    file[59] = 0x99
    expect(errorOf(file).code).toBe('unsupported_wav')
    const short = wavFile({ before: [chunk('ds64', ascii('12345678'))] })
    expect(errorOf(short).code).toBe('invalid_wav')
  })
})
