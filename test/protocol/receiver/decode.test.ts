// Whole recordings: their transmissions, diagnostics and errors.
import { describe, expect, test } from 'vitest'
import { decodeWav, WavDecoder } from '../../../protocol/receiver/index.ts'
import { noisy, padded, quantised } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { IN_FULL, inFull } from '../../support/runs.ts'
import { wavFile } from '../wav/files.ts'
import { expectCleanRead, multichannel, recorded } from './recorded.ts'

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

describe('several channels', () => {
  const heard = quantised(noisy(padded(sound, 1, 1), 3, 5))
  const read = (...channels: Int16Array[]) =>
    decodeWav(multichannel(...channels)).transmissions[0]?.frame

  inFull('the receiver decodes channels that cancel in their mean one by one', () => {
    expect(
      read(
        heard,
        heard.map((sample) => -sample),
      ),
    ).toEqual(frame)
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
})

describe('incremental decoding', () => {
  inFull(
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
