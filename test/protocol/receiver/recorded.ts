// Builds WAV recordings from signals, and checks the decoding of clean ones.
import { expect } from 'vitest'
import { SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { quantised, type Sound } from '../../support/channel.ts'
import { clean } from '../../support/conditions.ts'
import { payload, sent } from '../../support/payloads.ts'

export const recorded = (sound: Sound) => writeWav(quantised(sound))

/** Concatenates sounds. */
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

/** Returns a 16-bit WAV file of channels of equal length. */
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

/** Expects a clean recording, at a different rate for each trial, to decode with the shortest list, uncorrected. */
export function expectCleanRead(trial: number): void {
  const { transmissions, error } = decodeWav(
    clean(sent(trial).sound, trial, Number.POSITIVE_INFINITY),
  )
  expect(error).toBeNull()
  expect(transmissions).toHaveLength(1)
  expect(transmissions[0]!.fields).toEqual(payload(trial))
  expect(transmissions[0]!.diagnostics).toMatchObject({ list: 8, correctedTones: 0, absentPart: 0 })
}
