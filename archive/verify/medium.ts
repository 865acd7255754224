// Checks one medium of a day: its bytes, what its manifest states of them, and what its sound carries.
import { COUNTER_NAMES, type DayFields } from '../../protocol/index.ts'
import { factsOf } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import type { AvailableMedium, Medium, MediumProperties } from '../format/manifest.ts'
import { type MediaKind, manifestName } from '../format/paths.ts'
import { fieldsOf, type Snapshot } from '../format/snapshot.ts'
import type { Check } from './check.ts'

/** Media are checked in memory, a few at a time. */
const MAX_MEDIUM_BYTES = 64 * 1024 * 1024

/** Durations are written with this precision [s]. */
const SECONDS_PRECISION = 0.000_5

/** @param snapshot what the sound must carry */
export async function checkMedium(
  check: Check,
  kind: MediaKind,
  medium: Medium,
  snapshot: Snapshot,
): Promise<void> {
  if (!medium.available) return
  const { day, source, report } = check
  const name = medium.filename
  const file = await source.read(day, name, MAX_MEDIUM_BYTES)
  if ('problem' in file) {
    report(name, file.problem.code, file.problem.message)
    return
  }
  const sha256 = sha256Of(file.bytes)
  if (sha256 !== medium.sha256) {
    report(name, 'medium_hash', `has the SHA-256 ${sha256}, and ${file.bytes.length} bytes`)
    return
  }
  if (file.bytes.length !== medium.bytes)
    report(
      manifestName(day),
      'medium_size',
      `media.${kind}.bytes: is ${medium.bytes}; there are ${file.bytes.length}`,
    )
  if (file.contentType !== null && file.contentType !== medium.content_type)
    report(name, 'content_type', `comes as ${file.contentType}, not as ${medium.content_type}`)
  checkFacts(check, kind, medium, file.bytes)
  if (kind === 'wav') await checkSound(check, name, file.bytes, snapshot)
}

/** What can be told of a medium without reading it. */
export async function checkSize({ day, source, report }: Check, medium: Medium): Promise<void> {
  if (!medium.available || !source.sizeOf) return
  const size = await source.sizeOf(day, medium.filename)
  if (size === null) report(medium.filename, 'missing', 'is missing')
  else if (size !== medium.bytes)
    report(medium.filename, 'medium_size', `has ${size} bytes; its manifest states ${medium.bytes}`)
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

/** The WAV must carry exactly what the snapshot states, once. */
async function checkSound(
  { report, decode }: Check,
  name: string,
  wav: Uint8Array,
  snapshot: Snapshot,
): Promise<void> {
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

function differingFields(carried: DayFields, due: DayFields): string[] {
  return [
    ...(['day', 'coverage', 'clock', 'conclusion'] as const).filter(
      (name) => carried[name] !== due[name],
    ),
    ...COUNTER_NAMES.filter((counter) => carried.counters[counter] !== due.counters[counter]),
  ]
}
