// The last check before a day is heard by others.
import { describe, expect, it } from 'vitest'
import { refuseOtherSound, renderSound } from '../../pipeline/media.ts'
import { unwatchedDay } from './workshop.ts'

const snapshotOf = (messages: bigint) => unwatchedDay('2026-11-18', messages)

describe('the sound of a day', () => {
  it('decodes to its snapshot, or there is none', () => {
    const { bytes } = renderSound(snapshotOf(7n))
    expect(() => refuseOtherSound(bytes, snapshotOf(7n))).not.toThrow()
  })

  it('is refused when it tells of one message more', () => {
    const { bytes } = renderSound(snapshotOf(8n))
    expect(() => refuseOtherSound(bytes, snapshotOf(7n))).toThrow(
      '2026-11-18: the WAV does not decode to its snapshot',
    )
  })

  it('is refused when it is silence, or holds the day twice', () => {
    const { bytes } = renderSound(snapshotOf(7n))
    expect(() => refuseOtherSound(bytes.slice(0, 44), snapshotOf(7n))).toThrow('does not decode')
    const twice = new Uint8Array(Buffer.concat([bytes, bytes.subarray(44)]))
    const view = new DataView(twice.buffer)
    view.setUint32(4, twice.length - 8, true)
    view.setUint32(40, twice.length - 44, true)
    expect(() => refuseOtherSound(twice, snapshotOf(7n))).toThrow('does not decode')
  })
})
