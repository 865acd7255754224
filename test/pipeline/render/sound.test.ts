// The sound of a day is decoded before it is published.
// Rules: FORMAT.md 3.3.
import { expect, it } from 'vitest'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { decodeSound, renderSound } from '../../../pipeline/render/sound.ts'
import { inFull } from '../../support/runs.ts'
import { unobservedDay } from '../workshop.ts'
import { wavOf } from './days.ts'

const snapshotOf = (messages: bigint) => unobservedDay('2026-11-18', messages)
const soundOf = (messages: bigint) => wavOf(snapshotOf(messages))

it('a rendered sound decodes to its snapshot', () => {
  const { bytes, decoding } = renderSound(snapshotOf(7n))
  expect(bytes).toEqual(soundOf(7n))
  expect(decoding.transmissions.map(({ fields }) => fields)).toEqual([fieldsOf(snapshotOf(7n))])
})

it('a sound that states one message too many is rejected', () => {
  expect(() => decodeSound(soundOf(8n), snapshotOf(7n))).toThrow(
    '2026-11-18: the WAV does not decode to its snapshot',
  )
})

inFull('silence is rejected, and so is a sound that contains the day twice', () => {
  const bytes = soundOf(7n)
  expect(() => decodeSound(bytes.slice(0, 44), snapshotOf(7n))).toThrow('does not decode')
  const twice = new Uint8Array(Buffer.concat([bytes, bytes.subarray(44)]))
  const view = new DataView(twice.buffer)
  view.setUint32(4, twice.length - 8, true)
  view.setUint32(40, twice.length - 44, true)
  expect(() => decodeSound(twice, snapshotOf(7n))).toThrow('does not decode')
})
