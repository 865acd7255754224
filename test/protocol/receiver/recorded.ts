// Sounds put together and recorded as WAV files, for tests of whole recordings.
import { SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { quantised, type Sound } from '../../support/channel.ts'

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
