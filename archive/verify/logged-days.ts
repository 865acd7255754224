// Compares the days of an archive with the leaves of its log (FORMAT.md 15.3 and 15.4).
import { sha256Of } from '../format/hash.ts'
import { parseManifest } from '../format/manifest.ts'
import { isDaySelected, type Selection } from '../format/mirror.ts'
import { manifestKey } from '../format/paths.ts'
import type { Sum } from '../format/sums.ts'
import { isLogged, type Leaf } from '../log/days.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { Place } from '../place/place.ts'
import { type Finding, findingFor } from './findings.ts'

/** Each checked day with its files; null if the manifest is damaged. */
export type DaySums = ReadonlyMap<string, readonly Sum[] | null>

/** Each day with its signed leaves, oldest first. */
type Leaves = ReadonlyMap<string, readonly Leaf[]>

/**
 * Compares each day with its newest leaf.
 * @param selection the days that the archive has
 * @returns findings that a run in progress could explain: those on days that have a leaf but do not exist, and by day those on
 *   days without a leaf or with another manifest than their newest leaf
 */
export async function compareDays(
  place: Place,
  leaves: Leaves,
  days: DaySums,
  selection: Selection,
) {
  const missing: Finding[] = []
  const ofDays = new Map<string, Finding>()
  for (const [day, sums] of days) {
    const file = place.nameOf(manifestKey(day))
    const newest = leaves.get(day)?.at(-1)
    if (!newest)
      ofDays.set(day, { code: 'day_not_logged', file, message: 'has no leaf in the log' })
    else if (sums && !isLogged(newest, sums) && !(await manifestOfLeaf(place, newest)))
      ofDays.set(day, notLogged(file, `is not the one in line ${newest.index + 1} of the log`))
  }
  for (const [day, ofDay] of leaves) {
    if (days.has(day) || !isDaySelected(selection, day)) continue
    const file = place.nameOf(manifestKey(day))
    if (!(await manifestOfLeaf(place, ofDay.at(-1))))
      missing.push({ code: 'missing', file, message: 'is in the log, but not here' })
  }
  return { missing, ofDays }
}

/**
 * Checks each day with several leaves and an undamaged manifest: every leaf must be an upgrade of the one before. No run
 * in progress explains the contrary.
 * @param ofDays gets the findings
 */
export async function checkUpgrades(
  place: Place,
  leaves: Leaves,
  days: DaySums,
  ofDays: Map<string, Finding>,
): Promise<void> {
  for (const [day, ofDay] of leaves) {
    if (ofDay.length < 2 || !days.get(day)) continue
    const file = place.nameOf(manifestKey(day))
    const bytes = await manifestOfLeaf(place, ofDay.at(-1))
    try {
      const fault = bytes && faultInLeaves(parseManifest(bytes), ofDay)
      if (fault) ofDays.set(day, notLogged(file, fault))
    } catch (error) {
      // The manifest was replaced since the day was checked.
      ofDays.set(day, findingFor(file, error))
    }
  }
}

/** Reads the manifest that a leaf names; null if the day has another one now, or none. */
async function manifestOfLeaf(place: Place, leaf: Leaf | undefined): Promise<Uint8Array | null> {
  if (!leaf) return null
  const file = await place.read(manifestKey(leaf.day))
  return !('problem' in file) && sha256Of(file.content) === leaf.sha256 ? file.content : null
}

function notLogged(file: string, message: string): Finding {
  return { code: 'manifest_not_logged', file, message }
}
