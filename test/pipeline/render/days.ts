// Sample snapshots with their pictures and sound.
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import { renderPicture } from '../../../pipeline/render/picture.ts'
import { concludeDay, encodeTransmission, writeWav } from '../../../protocol/index.ts'
import { makeSnapshot, perCounter } from '../../archive/days.ts'

const DAY = '2026-11-19'

/** Builds a snapshot of 2026-11-19 with these counters, by default with complete coverage. */
export function snapshotOf(
  counters: (string | null)[],
  coverage: Snapshot['coverage'] = makeSnapshot(DAY).coverage,
  clock: Snapshot['clock']['status'] = 'ok',
): Snapshot {
  const snapshot = makeSnapshot(DAY, {
    counters: perCounter((i) => counters[i]!),
    availability: perCounter((i) => counters[i] !== null),
    coverage,
    clock: { status: clock },
    previous: { day: '2026-11-18', sha256: '9f86d081884c7d65'.repeat(4) },
  })
  return { ...snapshot, conclusion: concludeDay(fieldsOf(snapshot)) }
}

export const ACTIVE = snapshotOf('1284 482913 17 31 9 24 12 3 7 5 41 2'.split(' '))
export const QUIET = snapshotOf(Array(12).fill('0'))
/** As on a day on which contributions were switched off. */
export const NULLS = snapshotOf(['1', '154', '2', '1', ...Array(8).fill(null)])
export const LARGEST = snapshotOf(Array(12).fill('18446744073709551615'))
/** Without message counters, with no server from 05:00 to 12:00, and with a stepped clock. */
export const INCONCLUSIVE = snapshotOf(
  [null, null, '3', null, '0', '0', '0', '0', '0', '0', '0', '0'],
  {
    status: 'partial',
    observed_seconds: 61_200,
    reasons: [
      { code: 'service_not_running', from: `${DAY}T05:00:00.000Z`, to: `${DAY}T12:00:00.000Z` },
    ],
  },
  'stepped',
)

const pictures = new Map<Snapshot, Promise<Uint8Array>>()

/** Returns the PNG of a day, drawn once for all tests. */
export function pictureOf(snapshot: Snapshot): Promise<Uint8Array> {
  const drawn = pictures.get(snapshot) ?? renderPicture(snapshot).then(({ bytes }) => bytes)
  pictures.set(snapshot, drawn)
  return drawn
}

export function samplesOf(snapshot: Snapshot): Int16Array {
  return encodeTransmission(fieldsOf(snapshot))
}

export function wavOf(snapshot: Snapshot): Uint8Array {
  return writeWav(samplesOf(snapshot))
}

/** What the film of the active day is made from, in this folder. */
export const partsIn = async (folder: string) => ({
  snapshot: ACTIVE,
  picture: await pictureOf(ACTIVE),
  sound: wavOf(ACTIVE),
  folder,
})
