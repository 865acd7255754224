// Checks one media file of a day: its hash, its stated properties and, for the WAV, the decoded fields.
import { COUNTER_NAMES, type DayFields } from '../../protocol/index.ts'
import type { MediumProperties } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import type { AvailableMedium, Medium } from '../format/manifest.ts'
import { factsOf, type MediaKind } from '../format/media.ts'
import { keyOf, manifestName } from '../format/paths.ts'
import { fieldsOf, type Snapshot } from '../format/snapshot.ts'
import { isSoundOf } from '../format/sound.ts'
import { type Check, readNamed } from './day-check.ts'

/** The tolerance for durations [s]. */
const SECONDS_PRECISION = 0.000_5

/** @param snapshot the day that the sound must carry */
export async function checkMedium(
  check: Check,
  kind: MediaKind,
  medium: Medium,
  snapshot: Snapshot,
): Promise<void> {
  if (!medium.available) return
  const { day, report } = check
  const name = medium.filename
  const file = await readNamed(check, name)
  if (!file) return
  const sha256 = sha256Of(file.content)
  if (sha256 !== medium.sha256) {
    report(name, 'medium_hash', `has the SHA-256 ${sha256}, and ${file.content.length} bytes`)
    return
  }
  if (file.content.length !== medium.bytes)
    report(
      manifestName(day),
      'medium_size',
      `media.${kind}.bytes: is ${medium.bytes}; the file has ${file.content.length}`,
    )
  if (file.contentType !== undefined && file.contentType !== medium.content_type)
    report(name, 'content_type', `is served as ${file.contentType}, not as ${medium.content_type}`)
  checkFacts(check, kind, medium, file.content)
  if (kind === 'wav') await checkSound(check, name, file.content, snapshot)
}

/** Checks existence and size without reading the file. */
export async function checkSize({ day, survey, report }: Check, medium: Medium): Promise<void> {
  if (!medium.available || !survey.stateOf) return
  const state = await survey.stateOf(keyOf(day, medium.filename))
  if (state === null) report(medium.filename, 'missing', 'is missing')
  else if (state.bytes !== medium.bytes)
    report(
      medium.filename,
      'medium_size',
      `has ${state.bytes} bytes; its manifest states ${medium.bytes}`,
    )
}

function checkFacts(
  { day, report }: Check,
  kind: MediaKind,
  medium: AvailableMedium,
  bytes: Uint8Array,
): void {
  const facts = factsOf(kind, bytes)
  if (!facts) {
    report(medium.filename, 'not_a_medium', `is not a whole ${kind} file`)
    return
  }
  for (const name of ['duration_seconds', 'width', 'height'] as const) {
    const [actual, stated] = [facts[name], (medium as MediumProperties)[name]]
    if (actual === undefined || stated === undefined) continue
    if (Math.abs(actual - stated) > SECONDS_PRECISION)
      report(
        manifestName(day),
        'medium_facts',
        `media.${kind}.${name}: is ${stated}; the file has ${actual}`,
      )
  }
}

/** Checks that the WAV carries exactly one transmission, with the fields of the snapshot. */
async function checkSound(
  { report, decode }: Check,
  name: string,
  wav: Uint8Array,
  snapshot: Snapshot,
): Promise<void> {
  // It then decodes to the snapshot and to nothing else, and encoding takes a tenth of the time of decoding.
  if (isSoundOf(snapshot, wav)) return
  const { transmissions, error } = await decode(wav)
  const [carried, ...others] = transmissions
  if (!carried) report(name, 'sound_undecodable', error?.message ?? 'carries no transmission')
  else if (others.length > 0)
    report(name, 'sound_differs', `carries ${transmissions.length} transmissions`)
  else {
    const differing = differingFields(carried.fields, fieldsOf(snapshot))
    if (differing.length > 0)
      report(
        name,
        'sound_differs',
        `decodes to another ${differing.join(', ')} than the snapshot's`,
      )
  }
}

function differingFields(carried: DayFields, expected: DayFields): string[] {
  return [
    ...(['day', 'coverage', 'clock', 'conclusion'] as const).filter(
      (name) => carried[name] !== expected[name],
    ),
    ...COUNTER_NAMES.filter((counter) => carried.counters[counter] !== expected.counters[counter]),
  ]
}
