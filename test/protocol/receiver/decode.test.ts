// Whole recordings: their transmissions, diagnostics and errors.
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../../protocol/crc.ts'
import {
  decodeWav,
  encodeTones,
  modulate,
  SAMPLE_RATE,
  WavDecoder,
} from '../../../protocol/index.ts'
import {
  atSpeed,
  inverted,
  noisy,
  padded,
  quantised,
  type Sound,
  soundOf,
  translated,
  withDropouts,
} from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { wavFile } from '../wav/files.ts'
import { expectCleanRead, joined, multichannel, recorded, silence } from './recorded.ts'

const { frame, sound } = sent(2)

describe('clean recordings', () => {
  test.each([0, 4])(
    'payload %i at another sample rate is decoded with a list of 8',
    expectCleanRead,
  )

  test('a clean recording needs no silence around the transmission', () => {
    expect(decodeWav(recorded(sound)).transmissions[0]?.frame).toEqual(frame)
  })
})

describe('diagnostics', () => {
  test('the diagnostics state speed, translation, start and Eb/N0 of a noisy recording', () => {
    const heard = noisy(translated(atSpeed(padded(sound, 4, 2), 1.004), -8), 3, 1, 0.125 / 1.004)
    const { diagnostics } = decodeWav(recorded(heard)).transmissions[0]!
    expect(diagnostics.start).toBeCloseTo(4 / 1.004, 2)
    expect(diagnostics.speed).toBeCloseTo(1.004, 3)
    expect(Math.abs(diagnostics.translation + 8)).toBeLessThan(1.5)
    expect(Math.abs(diagnostics.ebN0 - 3)).toBeLessThan(0.5)
    expect(diagnostics.snr2500).toBeCloseTo(diagnostics.ebN0 - 19.3, 0)
    expect(diagnostics.correctedTones).toBeGreaterThan(50)
  })

  test('the diagnostics state how much of the transmission was missing', () => {
    const heard = noisy(padded(withDropouts(sound, 0.15, 1, 3), 1, 1), 8, 2)
    const { diagnostics } = decodeWav(recorded(heard)).transmissions[0]!
    expect(Math.abs(diagnostics.absentPart - 0.15)).toBeLessThan(0.02)
  })
})

describe('several transmissions', () => {
  test('several transmissions are returned in order of time, two copies of one as two', () => {
    const other = sent(4)
    const heard = noisy(
      joined(silence(1), sound, silence(0.2), other.sound, sound, silence(2)),
      4,
      3,
    )
    const { transmissions } = decodeWav(recorded(heard))
    expect(transmissions.map((found) => found.frame)).toEqual([frame, other.frame, frame])
    const starts = transmissions.map((found) => found.diagnostics.start)
    for (const [i, start] of [1, 30.34, 59.48].entries()) expect(starts[i]).toBeCloseTo(start, 1)
  })
})

describe('several channels', () => {
  const heard = quantised(noisy(padded(sound, 1, 1), 3, 5))
  const read = (...channels: Int16Array[]) =>
    decodeWav(multichannel(...channels)).transmissions[0]?.frame

  test('the receiver decodes channels that cancel in their mean one by one', () => {
    expect(
      read(
        heard,
        heard.map((sample) => -sample),
      ),
    ).toEqual(frame)
  })

  test('channels with independent noise can be decoded from their mean when one alone cannot', () => {
    const [left, right] = [9, 10].map((seed) => quantised(noisy(padded(sound, 1, 1), -1.2, seed)))
    expect(read(left!)).toBeUndefined()
    expect(read(left!, right!)).toEqual(frame)
  })
})

describe('mistuned receivers', () => {
  test.each([40])('a recording that is off by %i Hz is decoded', (hertz) => {
    const { transmissions } = decodeWav(
      recorded(noisy(padded(translated(sound, hertz), 1, 1), 4, 11)),
    )
    expect(transmissions[0]?.frame).toEqual(frame)
    expect(Math.abs(transmissions[0]!.diagnostics.translation - hertz)).toBeLessThan(1)
  })

  test('a recording on the wrong sideband is decoded', () => {
    const { transmissions } = decodeWav(recorded(noisy(padded(inverted(sound, 3150), 1, 1), 4, 12)))
    expect(transmissions[0]?.frame).toEqual(frame)
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

  test('a recording of half a transmission is incomplete, with or without noise', () => {
    const half = Math.floor(sound.length / 2)
    const { sound: dense } = sent(4)
    expect(codeOf(noisy(dense.slice(0, half), 4, 13))).toBe('incomplete')
    expect(codeOf(padded(dense.slice(0, half), 2, 0))).toBe('incomplete')
    expect(codeOf(dense.slice(half))).toBe('incomplete')
  })

  test('a recording has no frame when the checksum fails', () => {
    const wrong = frame.with(50, frame[50]! ^ 1)
    expect(codeOf(soundOf(modulate(encodeTones(wrong))))).toBe('no_frame')
  })

  test('a recording has an invalid frame when the checksum holds and a rule is broken', () => {
    const wrong = frame.with(0, 0x22)
    new DataView(wrong.buffer).setUint32(102, crc32(wrong.subarray(0, 102)))
    expect(codeOf(soundOf(modulate(encodeTones(wrong))))).toBe('invalid_frame')
  })

  test('a recording of noise has no sync', () => {
    expect(codeOf(noisy(silence(40), 3, 15))).toBe('no_sync')
  })

  test('a file that is not a WAV gets the error of the WAV reader', () => {
    expect(decodeWav(new TextEncoder().encode('not a sound')).error!.code).toBe('not_wav')
  })
})

describe('incremental decoding', () => {
  test('incremental decoding returns the same result as decoding at once, for any buffer size', () => {
    const file = recorded(noisy(padded(sound, 1, 1), 3, 16))
    const whole = decodeWav(file)
    for (const size of [999, 65_537]) {
      const decoder = new WavDecoder()
      for (let at = 0; at < file.length; at += size) decoder.push(file.subarray(at, at + size))
      expect(decoder.end()).toEqual(whole)
    }
  })
})
