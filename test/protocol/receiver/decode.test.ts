// Whole recordings: their transmissions, diagnostics and errors; noise, several transmissions and channels, mistuned receivers,
// minutes of audio, and non-transmissions.
import { describe, expect, test } from 'vitest'
import { encodeTones, modulate, SAMPLE_RATE } from '../../../protocol/index.ts'
import { decodeWav, Receiver, WavDecoder } from '../../../protocol/receiver/index.ts'
import {
  atSpeed,
  inverted,
  noisy,
  padded,
  quantised,
  type Sound,
  soundOf,
  translated,
} from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { random } from '../../support/random.ts'
import { IN_FULL, inFull } from '../../support/runs.ts'
import { wavFile } from '../wav/files.ts'
import { expectCleanRead, joined, multichannel, recorded, silence } from './recorded.ts'

const { frame, sound } = sent(2)

describe('clean recordings', () => {
  test.each(IN_FULL ? [0, 1, 2, 3, 4, 5, 6, 7, 8] : [4])(
    'payload %i at another sample rate is decoded with a list of 8',
    expectCleanRead,
  )

  test('a clean recording needs no silence around the transmission', () => {
    expect(decodeWav(recorded(sound)).transmissions[0]?.frame).toEqual(frame)
  })
})

inFull('the diagnostics state speed, translation, start and Eb/N0 of a noisy recording', () => {
  const heard = noisy(translated(atSpeed(padded(sound, 4, 2), 1.004), -8), 3, 1, 0.125 / 1.004)
  const { diagnostics } = decodeWav(recorded(heard)).transmissions[0]!
  expect(diagnostics.start).toBeCloseTo(4 / 1.004, 2)
  expect(diagnostics.speed).toBeCloseTo(1.004, 3)
  expect(Math.abs(diagnostics.translation + 8)).toBeLessThan(1.5)
  expect(Math.abs(diagnostics.ebN0 - 3)).toBeLessThan(0.5)
  expect(diagnostics.snr2500).toBeCloseTo(diagnostics.ebN0 - 19.3, 0)
  expect(diagnostics.correctedTones).toBeGreaterThan(50)
})

describe('several transmissions', () => {
  inFull('several transmissions are returned in order of time, two copies of one as two', () => {
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

  inFull(
    'the receiver finds each of several transmissions once, wherever the windows are split',
    () => {
      const gaps = [75, 20, 31, 10].map(silence)
      const heard = noisy(joined(...gaps.flatMap((gap) => [gap, sound]), silence(5)), 5, 4)
      const { transmissions } = decodeWav(recorded(heard))
      const starts = transmissions.map((found) => found.diagnostics.start)
      expect(starts).toHaveLength(4)
      for (const [i, start] of [75, 124.14, 184.28, 223.42].entries())
        expect(starts[i]).toBeCloseTo(start, 1)
    },
  )
})

describe('several channels', () => {
  const heard = quantised(noisy(padded(sound, 1, 1), 3, 5))
  const read = (...channels: Int16Array[]) =>
    decodeWav(multichannel(...channels)).transmissions[0]?.frame

  inFull('the receiver decodes channels that cancel in their mean one by one', () => {
    const inverse = heard.map((sample) => -sample)
    expect(read(heard, inverse)).toEqual(frame)
  })

  inFull(
    'channels with independent noise can be decoded from their mean when one alone cannot',
    () => {
      const [left, right] = [9, 10].map((seed) => quantised(noisy(padded(sound, 1, 1), -1.2, seed)))
      expect(read(left!)).toBeUndefined()
      expect(read(left!, right!)).toEqual(frame)
    },
  )

  inFull(
    'the receiver decodes the good channel when another is silent or all others are noise',
    () => {
      const noise = (seed: number) => quantised(noisy(silence(heard.length / SAMPLE_RATE), 3, seed))
      expect(read(new Int16Array(heard.length), heard)).toEqual(frame)
      expect(read(noise(6), noise(7), heard, noise(8))).toEqual(frame)
    },
  )
})

describe('mistuned receivers', () => {
  inFull(
    'a mistuned recording is decoded although another channel carries an unreadable transmission',
    () => {
      const unreadable = soundOf(modulate(encodeTones(frame.with(50, frame[50]! ^ 1))))
      const channels = [unreadable, translated(sound, 60)].map((part) =>
        quantised(padded(part, 1, 1)),
      )
      expect(decodeWav(multichannel(...channels)).transmissions[0]?.frame).toEqual(frame)
    },
  )

  inFull.each([-85, -40, 40, 85])('a recording that is off by %i Hz is decoded', (hertz) => {
    const { transmissions } = decodeWav(
      recorded(noisy(padded(translated(sound, hertz), 1, 1), 4, 11)),
    )
    expect(transmissions[0]?.frame).toEqual(frame)
    expect(Math.abs(transmissions[0]!.diagnostics.translation - hertz)).toBeLessThan(1)
  })

  inFull('a recording on the wrong sideband is decoded', () => {
    const { transmissions } = decodeWav(recorded(noisy(padded(inverted(sound, 3150), 1, 1), 4, 12)))
    expect(transmissions[0]?.frame).toEqual(frame)
  })
})

describe('recordings without a transmission', () => {
  test('a streamed file of a few bytes of audio is too short, not silent', () => {
    const streamed = wavFile({ bits: 8, sound: Uint8Array.of(1, 2), dataSize: 0 })
    expect(decodeWav(streamed).error!.code).toBe('too_short')
  })

  test('a file that is not a WAV gets the error of the WAV reader', () => {
    expect(decodeWav(new TextEncoder().encode('not a sound')).error!.code).toBe('not_wav')
  })

  const codeOf = (heard: Sound) => {
    const { transmissions, error } = decodeWav(recorded(heard))
    expect(transmissions).toEqual([])
    return error!.code
  }

  inFull('a recording of half a transmission is incomplete, with or without noise', () => {
    const half = Math.floor(sound.length / 2)
    const { sound: dense } = sent(4)
    expect(codeOf(noisy(dense.slice(0, half), 4, 13))).toBe('incomplete')
    expect(codeOf(padded(dense.slice(0, half), 2, 0))).toBe('incomplete')
    expect(codeOf(dense.slice(half))).toBe('incomplete')
  })

  inFull('music and sweeps have no sync', () => {
    const music = silence(40).map((_, i) => {
      const hertz =
        220 * 2 ** ([0, 4, 7, 12, 16, 19, 24, 28, 31][(Math.floor(i / 9000) * 5) % 9]! / 12)
      const turn = (2 * Math.PI * hertz * i) / SAMPLE_RATE
      return Math.sin(turn) + Math.sin(2.5 * turn) + Math.sin(4 * turn)
    })
    expect(codeOf(music)).toBe('no_sync')
    const sweep = silence(40).map((_, i) => Math.sin((i % SAMPLE_RATE) ** 2 / 2e5))
    expect(codeOf(sweep)).toBe('no_sync')
  })
})

describe('incremental decoding', () => {
  inFull('the result is the same as of decoding at once, for any buffer size', () => {
    const file = recorded(noisy(padded(sound, 1, 1), 3, 16))
    const whole = decodeWav(file)
    for (const size of [999, 65_537]) {
      const decoder = new WavDecoder()
      for (let at = 0; at < file.length; at += size) decoder.push(file.subarray(at, at + size))
      expect(decoder.end()).toEqual(whole)
    }
  })

  inFull('the receiver decodes a day after five minutes of noise', () => {
    const { gaussian } = random(17)
    const receiver = new Receiver(8000, 1)
    const minute = Float32Array.from({ length: 8000 * 60 }, () => 0.3 * gaussian())
    const at8 = atSpeed(sound, 6)
    for (let i = 0; i < 5; i++) receiver.push([minute])
    receiver.push([at8])
    receiver.push([minute.subarray(0, 8000)])
    const { transmissions } = receiver.finish()
    expect(transmissions.map((found) => found.frame)).toEqual([frame])
    expect(transmissions[0]!.diagnostics.start).toBeCloseTo(300, 1)
  })
})
