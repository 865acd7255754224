// The WAV reader: the codings and containers that it supports, and its errors for others.
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../../../protocol/errors.ts'
import { readWav } from '../../../protocol/wav/read.ts'
import { writeWav } from '../../../protocol/wav/write.ts'
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
  const depths = [8, 16, 24, 32].map((bits) => ({ bits, tag: 1 }))
  const codings = [...depths, { bits: 32, tag: 3 }, { bits: 64, tag: 3 }]
  for (const { bits, tag } of codings) {
    for (const container of ['RIFF', 'RIFX', 'RF64'] as const) {
      for (const extensible of [false, true]) {
        const form = extensible ? 'extensible' : 'plain'
        test(`${form} ${container} with format tag ${tag} and ${bits} bits yields its samples`, () => {
          const sound = store(SAMPLES, bits, tag === 3, container === 'RIFX')
          expect(mono({ container, extensible, bits, tag, sound })).toEqual(SAMPLES)
        })
      }
    }
  }

  test('mu-law and A-law decode to the values of ITU-T G.711 at both ends and at zero', () => {
    const law = (tag: number, codes: number[]) =>
      mono({ tag, bits: 8, sampleRate: 8000, sound: Uint8Array.from(codes) }).map((x) => x * 32768)
    expect(law(7, [0x00, 0x80, 0xff, 0xf0, 0x40])).toEqual([-32124, 32124, 0, 120, -1884])
    expect(law(6, [0x2a, 0xaa, 0xd5, 0x55, 0xc0])).toEqual([-32256, 32256, 8, -8, 344])
  })

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

  test('NaN, infinities and absurdly large floats become silence', () => {
    const odd = [Number.NaN, Infinity, -Infinity, 1e38, 0.5]
    expect(mono({ tag: 3, bits: 32, sound: store(odd, 32, true) })).toEqual([0, 0, 0, 0, 0.5])
    expect(mono({ tag: 3, bits: 64, sound: store([1e300, 0.5], 64, true) })).toEqual([0, 0.5])
  })

  test('eight channels are separated', () => {
    const frames = Array.from({ length: 24 }, (_, i) => i / 32)
    const { channels, format } = readWav(wavFile({ channels: 8, sound: store(frames, 16) }))
    expect(format.channels).toBe(8)
    expect(channels.map((samples) => Array.from(samples))).toEqual(
      Array.from({ length: 8 }, (_, c) => [c, c + 8, c + 16].map((i) => i / 32)),
    )
  })

  test('what writeWav writes is read back', () => {
    const samples = Int16Array.of(0, 1, -1, 32767, -32768)
    const { format, channels } = readWav(writeWav(samples, 44_100))
    expect(format).toEqual({
      sampleRate: 44_100,
      channels: 1,
      coding: 'pcm',
      sampleBytes: 2,
      bigEndian: false,
    })
    expect(Array.from(channels[0]!, (x) => x * 32768)).toEqual(Array.from(samples))
  })
})

describe('headers', () => {
  const sound = store(SAMPLES, 16)

  test('odd, empty and unknown chunks before and after the audio are skipped', () => {
    const before = [
      chunk('LIST', ascii('odd')),
      chunk('JUNK', new Uint8Array(0)),
      chunk('zzzz', ascii('12345')),
    ]
    const after = [chunk('id3 ', ascii('tag')), ascii('xy')]
    expect(mono({ sound, before, after })).toEqual(SAMPLES)
  })

  test('an odd chunk without its pad byte is skipped', () => {
    expect(mono({ sound, before: [chunk('LIST', ascii('odd')).subarray(0, 11)] })).toEqual(SAMPLES)
  })

  for (const dataSize of [0, 0xffffffff, 0x7ffff000, 13]) {
    test(`a data chunk that states ${dataSize} bytes is read to the end of the file`, () => {
      expect(mono({ sound, dataSize })).toEqual(SAMPLES)
    })
  }

  test('a data chunk that states 0 bytes yields its samples even if they are too few for a chunk name', () => {
    expect(mono({ sound: sound.subarray(0, 2), dataSize: 0 })).toEqual(SAMPLES.slice(0, 1))
    const bytes = { bits: 8, sound: store(SAMPLES.slice(0, 2), 8) }
    expect(mono({ ...bytes, dataSize: 0 })).toEqual(SAMPLES.slice(0, 2))
  })

  for (const riffSize of [0, 0xffffffff, 3]) {
    test(`a RIFF size of ${riffSize} does not matter`, () => {
      expect(mono({ sound, riffSize })).toEqual(SAMPLES)
    })
  }

  test('an empty data chunk before another chunk is empty audio, not a streamed file', () => {
    expect(mono({ after: [chunk('LIST', ascii('INFOabcd'))] })).toEqual([])
  })

  test('an RF64 file is read to the length in its ds64 chunk, without the chunks after it', () => {
    expect(mono({ container: 'RF64', sound, after: [chunk('LIST', ascii('INFOabcd'))] })).toEqual(
      SAMPLES,
    )
  })

  test('a file truncated within a frame yields the complete frames', () => {
    const file = wavFile({ channels: 2, sound })
    const { channels } = readWav(file.subarray(0, file.length - 1))
    expect(channels.map((samples) => Array.from(samples))).toEqual([
      [0, -0.5],
      [0.5, 0.25],
    ])
  })
})

describe('rejected files', () => {
  const cases: [what: string, file: Uint8Array, code: string, words: string][] = [
    ['an empty file', new Uint8Array(0), 'not_wav', 'empty'],
    ['a text', ascii('not sound at all'), 'not_wav', 'another kind of file'],
    ['an MP3 file with a tag', ascii('ID3\x04\0\0\0\0\0\0\0\0\0'), 'not_wav', 'an MP3 file'],
    [
      'an MP3 file without a tag',
      ascii('\xff\xfb\x90\0\0\0\0\0\0\0\0\0\0'),
      'not_wav',
      'an MP3 file',
    ],
    ['an MP4 file', ascii('\0\0\0\x20ftypisom\0\0\0\0'), 'not_wav', 'an MP4 file'],
    ['an Ogg file', ascii('OggS\0\x02\0\0\0\0\0\0\0'), 'not_wav', 'an Ogg file'],
    ['a FLAC file', ascii('fLaC\0\0\0\x22\0\0\0\0\0'), 'not_wav', 'a FLAC file'],
    ['a film in RIFF', ascii('RIFF\0\0\0\0AVI LIST'), 'not_wav', 'not contain WAVE audio'],
    ['the start of a film', ascii('RIFF\0\0\0\0AV'), 'not_wav', 'not contain WAVE audio'],
    ['four bytes', ascii('RIFF'), 'truncated_wav', 'first 12 bytes'],
    ['eleven bytes', ascii('BW64\0\0\0\0WAV'), 'truncated_wav', 'first 12 bytes'],
    ['no fmt chunk', ascii('RIFF\x04\0\0\0WAVE'), 'truncated_wav', 'without a fmt chunk'],
    ['no data chunk', wavFile({}).subarray(0, 36), 'truncated_wav', 'without a data chunk'],
    ['half a fmt chunk', wavFile({}).subarray(0, 30), 'truncated_wav', 'within its fmt chunk'],
    [
      'a chunk beyond the end',
      concat(ascii('RIFF'), u32(0), ascii('WAVELIST'), u32(9999), ascii('abc')),
      'truncated_wav',
      'without a fmt chunk',
    ],
    [
      'a data chunk before the fmt chunk',
      wavFile({ before: [chunk('data', ascii('abcd'))] }),
      'invalid_wav',
      'before the fmt chunk',
    ],
    [
      'a short fmt chunk',
      concat(ascii('RIFF'), u32(0), ascii('WAVE'), chunk('fmt ', new Uint8Array(14))),
      'invalid_wav',
      '14 bytes',
    ],
    ['no channels', wavFile({ channels: 0, frameBytes: 2 }), 'invalid_wav', '0 channels'],
    ['no rate', wavFile({ sampleRate: 0 }), 'invalid_wav', 'a rate of 0'],
    [
      'frames that do not fit',
      wavFile({ channels: 2, frameBytes: 3 }),
      'invalid_wav',
      'contradict each other',
    ],
    [
      'an extensible format cut short',
      concat(
        ascii('RIFF'),
        u32(0),
        ascii('WAVE'),
        chunk('fmt ', wavFile({ extensible: true }).subarray(20, 38)),
      ),
      'invalid_wav',
      'before its sub-format',
    ],
    ['nine channels', wavFile({ channels: 9 }), 'unsupported_wav', '9 channels'],
    ['a rate below', wavFile({ sampleRate: 7999 }), 'unsupported_wav', '7999'],
    ['a rate above', wavFile({ sampleRate: 192_001 }), 'unsupported_wav', '192001'],
    ['40-bit PCM', wavFile({ bits: 40 }), 'unsupported_wav', '40 bits'],
    ['16-bit floats', wavFile({ tag: 3, bits: 16 }), 'unsupported_wav', '16 bits'],
    [
      'MS ADPCM',
      wavFile({ tag: 2, bits: 4, frameBytes: 256 }),
      'unsupported_wav',
      'Microsoft ADPCM',
    ],
    ['IMA ADPCM', wavFile({ tag: 17, bits: 4, frameBytes: 256 }), 'unsupported_wav', 'IMA ADPCM'],
    ['GSM', wavFile({ tag: 49, bits: 0, frameBytes: 65 }), 'unsupported_wav', 'GSM 6.10'],
    ['MP3 in RIFF', wavFile({ tag: 85, bits: 0, frameBytes: 1 }), 'unsupported_wav', 'MP3'],
    ['an unknown tag', wavFile({ tag: 0x4242 }), 'unsupported_wav', '0x4242'],
    ['extensible MP3', wavFile({ tag: 85, extensible: true }), 'unsupported_wav', 'MP3'],
  ]
  for (const [what, file, code, words] of cases) {
    test(`reading ${what} fails with ${code}`, () => {
      expect(errorOf(file)).toEqual({ code, message: expect.stringContaining(words) })
    })
  }

  test('a sub-format that does not encode a format tag is rejected', () => {
    const file = wavFile({ extensible: true })
    file[59] = 0x99
    expect(errorOf(file).code).toBe('unsupported_wav')
  })

  test('a ds64 chunk that is too short is rejected', () => {
    expect(errorOf(wavFile({ before: [chunk('ds64', ascii('12345678'))] })).code).toBe(
      'invalid_wav',
    )
  })
})
