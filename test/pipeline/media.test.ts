// The last check before a day is heard by others.
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../archive/format/snapshot.ts'
import { hear, renderSound } from '../../pipeline/media.ts'
import { renderWav } from '../../pipeline/render/wav.ts'
import { unwatchedDay } from './workshop.ts'

const snapshotOf = (messages: bigint) => unwatchedDay('2026-11-18', messages)
const soundOf = (messages: bigint) => renderWav(fieldsOf(snapshotOf(messages)))

describe('the sound of a day', () => {
  it('comes with what was heard in it, which is its snapshot', () => {
    const { bytes, heard } = renderSound(snapshotOf(7n))
    expect(bytes).toEqual(soundOf(7n))
    expect(heard.transmissions.map(({ fields }) => fields)).toEqual([fieldsOf(snapshotOf(7n))])
  })

  it('is refused when it tells of one message more', () => {
    expect(() => hear(soundOf(8n), snapshotOf(7n))).toThrow(
      '2026-11-18: the WAV does not decode to its snapshot',
    )
  })

  it('is refused when it is silence, or holds the day twice', () => {
    const bytes = soundOf(7n)
    expect(() => hear(bytes.slice(0, 44), snapshotOf(7n))).toThrow('does not decode')
    const twice = new Uint8Array(Buffer.concat([bytes, bytes.subarray(44)]))
    const view = new DataView(twice.buffer)
    view.setUint32(4, twice.length - 8, true)
    view.setUint32(40, twice.length - 44, true)
    expect(() => hear(twice, snapshotOf(7n))).toThrow('does not decode')
  })
})
