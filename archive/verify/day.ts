// Checks one day: everything that its files state is derived again from the other files.
import {
  COUNTER_NAMES,
  concludeDay,
  type DayFields,
  type Decoding,
  decodeWav,
} from '../../protocol/index.ts'
import { ArchiveError } from '../errors.ts'
import { factsOf } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  type Manifest,
  type Medium,
  type MediumProperties,
  parseManifest,
} from '../format/manifest.ts'
import { MEDIA_KINDS, type MediaKind, manifestName, snapshotName } from '../format/paths.ts'
import { fieldsOf, parseSnapshot, type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import type { Link } from './chain.ts'
import type { Finding, FindingCode } from './findings.ts'
import type { Source } from './source.ts'

/** Thousands of coverage reasons fit; a hostile server's endless body does not. */
const MAX_JSON_BYTES = 4 * 1024 * 1024
/** Media are checked in memory, a few at a time. */
const MAX_MEDIUM_BYTES = 64 * 1024 * 1024

/** Durations are written with this precision, in seconds. */
const SECONDS_PRECISION = 0.000_5

/** What a WAV file carries. */
export type Decode = (wav: Uint8Array) => Decoding

/** One day under check: what was found so far, and how to add to it. */
interface Check {
  day: string
  source: Source
  decode: Decode
  findings: Finding[]
  report(name: string, code: FindingCode, message: string): void
}

/**
 * Checks everything about a day but its place in the chain, for which it gives its link.
 * @param decode for a caller that has decoded the same bytes already, since that takes a while
 */
export async function checkDay(
  source: Source,
  day: string,
  decode: Decode = decodeWav,
): Promise<{ findings: Finding[]; link: Link }> {
  const findings: Finding[] = []
  const report: Check['report'] = (name, code, message) => {
    findings.push({ code, file: source.nameOf(day, name), message })
  }
  const check = { day, source, decode, findings, report }
  const manifest = await checkManifest(check)
  const link = await checkSnapshot(check, manifest)
  if (manifest) {
    const named = link.sha256 === manifest.snapshot_file.sha256 && link.snapshot
    for (const kind of MEDIA_KINDS)
      await checkMedium(check, kind, manifest.media[kind], named || manifest.snapshot)
  }
  return { findings, link }
}

async function checkManifest(check: Check): Promise<Manifest | null> {
  const { day, source, findings, report } = check
  const name = manifestName(day)
  const file = await source.read(day, name, MAX_JSON_BYTES)
  if ('problem' in file) {
    report(name, file.problem.code, file.problem.message)
    return null
  }
  const manifest = parsed(check, name, 'invalid_manifest', () => parseManifest(file.bytes))
  if (!manifest) return null
  if (manifest.day !== day) {
    report(name, 'wrong_day', `is the manifest of ${manifest.day}`)
    return null
  }
  findings.push(...(await source.checkBeside(day, manifest, file.bytes)))
  return manifest
}

/** Compares `<day>.json` with the hash that the manifest names and the snapshot that it embeds. */
async function checkSnapshot(check: Check, manifest: Manifest | null): Promise<Link> {
  const { day, source, report } = check
  const name = snapshotName(day)
  const link: Link = { day, file: source.nameOf(day, name), sha256: null, snapshot: null }
  const file = await source.read(day, name, MAX_JSON_BYTES)
  if ('problem' in file) {
    report(name, file.problem.code, file.problem.message)
    return link
  }
  link.sha256 = sha256Of(file.bytes)
  if (manifest) compareSnapshot(check, manifest, link.sha256, file.bytes.length)
  link.snapshot = parsed(check, name, 'invalid_snapshot', () => parseSnapshot(file.bytes))
  if (link.snapshot) checkContent(check, link.snapshot)
  return link
}

function compareSnapshot(check: Check, manifest: Manifest, sha256: string, bytes: number): void {
  const { day, report } = check
  const embedded = snapshotBytes(manifest.snapshot)
  const same = sha256 === sha256Of(embedded)
  const named = manifest.snapshot_file
  // Of three that should agree, the one that stands alone is at fault.
  if (sha256 !== named.sha256 && !same)
    report(snapshotName(day), 'snapshot_hash', `has the SHA-256 ${sha256}, not the manifest's`)
  else if (sha256 !== named.sha256)
    report(
      manifestName(day),
      'snapshot_hash',
      `names another SHA-256 than ${snapshotName(day)} has`,
    )
  else if (!same)
    report(
      manifestName(day),
      'snapshot_differs',
      `holds another snapshot than ${snapshotName(day)}`,
    )
  else if (bytes !== named.bytes)
    report(manifestName(day), 'snapshot_size', `names ${named.bytes} bytes; there are ${bytes}`)
}

function checkContent(check: Check, snapshot: Snapshot): void {
  const { day, report } = check
  if (snapshot.day !== day) report(snapshotName(day), 'wrong_day', `is of ${snapshot.day}`)
  const due = concludeDay(fieldsOf(snapshot))
  if (snapshot.conclusion !== due)
    report(snapshotName(day), 'conclusion', `concludes ${snapshot.conclusion}; it follows ${due}`)
}

async function checkMedium(
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
  if (kind === 'wav') checkSound(check, name, file.bytes, snapshot)
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
function checkSound(
  { report, decode }: Check,
  name: string,
  wav: Uint8Array,
  snapshot: Snapshot,
): void {
  const { transmissions, error } = decode(wav)
  const [heard, ...others] = transmissions
  if (!heard) report(name, 'sound_undecodable', error?.message ?? 'carries no transmission')
  else if (others.length > 0)
    report(name, 'sound_differs', `carries ${transmissions.length} transmissions`)
  else {
    const differing = differingFields(heard.fields, fieldsOf(snapshot))
    if (differing.length > 0)
      report(
        name,
        'sound_differs',
        `decodes to another ${differing.join(', ')} than the snapshot's`,
      )
  }
}

function differingFields(heard: DayFields, due: DayFields): string[] {
  return [
    ...(['day', 'coverage', 'clock', 'conclusion'] as const).filter(
      (name) => heard[name] !== due[name],
    ),
    ...COUNTER_NAMES.filter((counter) => heard.counters[counter] !== due.counters[counter]),
  ]
}

/** What a file holds; null when its bytes are refused, which is reported. */
function parsed<T>(
  { report }: Check,
  name: string,
  code: 'invalid_manifest' | 'invalid_snapshot',
  parse: () => T,
): T | null {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== code) throw error
    report(name, code, error.message)
    return null
  }
}
