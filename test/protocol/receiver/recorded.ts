// Sounds put together and recorded as WAV files, for tests of whole recordings, and what a clean one must give.
import { expect } from 'vitest'
import { decodeWav, SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { quantised, type Sound } from '../../support/channel.ts'
import { clean } from '../../support/conditions.ts'
import { payload, sent } from '../../support/payloads.ts'

export const recorded = (sound: Sound) => writeWav(quantised(sound))

/** One sound after the other. */
export function joined(...parts: Sound[]): Sound {
  const all = new Float32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export const silence = (seconds: number): Sound =>
  new Float32Array(Math.round(seconds * SAMPLE_RATE))

/** A 16-bit WAV file of channels of equal length. */
export function multichannel(...channels: Int16Array[]): Uint8Array {
  const [length, count] = [channels[0]!.length, channels.length]
  const file = writeWav(
    Int16Array.from(
      { length: length * count },
      (_, i) => channels[i % count]![Math.floor(i / count)]!,
    ),
  )
  const view = new DataView(file.buffer)
  view.setUint16(22, count, true)
  view.setUint32(28, SAMPLE_RATE * 2 * count, true)
  view.setUint16(32, 2 * count, true)
  return file
}

/** A clean recording of a payload, at another sample rate each trial, is read at once and without any correction. */
export function expectCleanRead(trial: number): void {
  const { transmissions, error } = decodeWav(
    clean(sent(trial).sound, trial, Number.POSITIVE_INFINITY),
  )
  expect(error).toBeNull()
  expect(transmissions).toHaveLength(1)
  expect(transmissions[0]!.fields).toEqual(payload(trial))
  expect(transmissions[0]!.diagnostics).toMatchObject({ list: 8, correctedTones: 0, absentPart: 0 })
}
