// Checks one day: everything that its files say is derived again from the other files.
import { COUNTER_NAMES, type DayFields } from '../../protocol/index.ts'
import { ArchiveError } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type Manifest,
  type Medium,
  type MediumProperties,
  parseManifest,
} from '../format/manifest.ts'
import { MEDIA_KINDS, type MediaKind, manifestName, snapshotName } from '../format/paths.ts'
import { fieldsOf, parseSnapshot, type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import type { Link } from './chain.ts'
import { factsOf } from './facts.ts'
import type { Finding, Protocol, Source } from './findings.ts'

/** Thousands of coverage reasons fit; a hostile server's endless body does not. */
const MAX_JSON_BYTES = 4 * 1024 * 1024
/** Media are checked in memory, a few at a time. */
const MAX_MEDIUM_BYTES = 64 * 1024 * 1024

/** Durations are written with this precision, in seconds. */
const SECONDS_PRECISION = 0.000_5

/** One day under check: what was found so far, and how to add to it. */
interface Check {
  day: string
  source: Source
  protocol: Protocol
  findings: Finding[]
  say(name: string, code: string, message: string): unknown
}

/** Everything about a day but its place in the chain, for which it gives its link. */
export async function checkDay(
  source: Source,
  day: string,
  protocol: Protocol,
): Promise<{ findings: Finding[]; link: Link }> {
  const findings: Finding[] = []
  const say: Check['say'] = (name, code, message) =>
    findings.push({ code, file: source.nameOf(day, name), message })
  const check = { day, source, protocol, findings, say }
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
  const { day, source, findings, say } = check
  const name = manifestName(day)
  const file = await source.read(day, name, MAX_JSON_BYTES)
  if ('problem' in file) {
    say(name, file.problem.code, file.problem.message)
    return null
  }
  const manifest = parsed(check, name, () => parseManifest(file.bytes))
  if (!manifest) return null
  if (manifest.day !== day) {
    say(name, 'wrong_day', `is the manifest of ${manifest.day}`)
    return null
  }
  findings.push(...(await source.checkBeside(day, manifest, file.bytes)))
  return manifest
}

/** Compares `<day>.json` with the manifest: with the hash it names, and the snapshot it holds. */
async function checkSnapshot(check: Check, manifest: Manifest | null): Promise<Link> {
  const { day, source, say } = check
  const name = snapshotName(day)
  const link: Link = { day, file: source.nameOf(day, name), sha256: null, snapshot: null }
  const file = await source.read(day, name, MAX_JSON_BYTES)
  if ('problem' in file) {
    say(name, file.problem.code, file.problem.message)
    return link
  }
  link.sha256 = sha256Of(file.bytes)
  if (manifest) compareSnapshot(check, manifest, link.sha256, file.bytes.length)
  link.snapshot = parsed(check, name, () => parseSnapshot(file.bytes))
  if (link.snapshot) checkContent(check, link.snapshot)
  return link
}

function compareSnapshot(check: Check, manifest: Manifest, sha256: string, bytes: number): void {
  const { day, say } = check
  const embedded = snapshotBytes(manifest.snapshot)
  const same = sha256 === sha256Of(embedded)
  const named = manifest.snapshot_file
  // Of three that should agree, the one that stands alone is at fault.
  if (sha256 !== named.sha256 && !same)
    say(snapshotName(day), 'snapshot_hash', `has the SHA-256 ${sha256}, not the manifest's`)
  else if (sha256 !== named.sha256)
    say(manifestName(day), 'snapshot_hash', `names another SHA-256 than ${snapshotName(day)} has`)
  else if (!same)
    say(manifestName(day), 'snapshot_differs', `holds another snapshot than ${snapshotName(day)}`)
  else if (bytes !== named.bytes)
    say(manifestName(day), 'snapshot_size', `names ${named.bytes} bytes; there are ${bytes}`)
}

function checkContent(check: Check, snapshot: Snapshot): void {
  const { day, say, protocol } = check
  if (snapshot.day !== day) say(snapshotName(day), 'wrong_day', `is of ${snapshot.day}`)
  const due = protocol.concludeDay(fieldsOf(snapshot))
  if (snapshot.conclusion !== due)
    say(snapshotName(day), 'conclusion', `concludes ${snapshot.conclusion}; it follows ${due}`)
}

async function checkMedium(
  check: Check,
  kind: MediaKind,
  medium: Medium,
  snapshot: Snapshot,
): Promise<void> {
  if (!medium.available) return
  const { day, source, say } = check
  const name = medium.filename
  const file = await source.read(day, name, MAX_MEDIUM_BYTES)
  if ('problem' in file) {
    say(name, file.problem.code, file.problem.message)
    return
  }
  const sha256 = sha256Of(file.bytes)
  if (sha256 !== medium.sha256) {
    say(name, 'medium_hash', `has the SHA-256 ${sha256}, and ${file.bytes.length} bytes`)
    return
  }
  if (file.bytes.length !== medium.bytes)
    say(
      manifestName(day),
      'medium_size',
      `media.${kind}.bytes: is ${medium.bytes}; there are ${file.bytes.length}`,
    )
  if (file.contentType !== null && file.contentType !== medium.content_type)
    say(name, 'content_type', `comes as ${file.contentType}, not as ${medium.content_type}`)
  checkFacts(check, kind, medium, file.bytes)
  if (kind === 'wav') checkSound(check, name, file.bytes, snapshot)
}

function checkFacts(
  { day, say }: Check,
  kind: MediaKind,
  medium: Medium & { available: true },
  bytes: Uint8Array,
): void {
  const facts = factsOf(kind, bytes)
  if (!facts) {
    say(medium.filename, 'not_a_medium', `is not a whole ${kind} file`)
    return
  }
  for (const name of ['duration_seconds', 'width', 'height'] as const) {
    const [actual, said] = [facts[name], (medium as MediumProperties)[name]]
    if (actual === undefined || said === undefined) continue
    if (Math.abs(actual - said) > SECONDS_PRECISION)
      say(
        manifestName(day),
        'medium_facts',
        `media.${kind}.${name}: is ${said}; the file has ${actual}`,
      )
  }
}

/** The WAV must carry exactly what the snapshot says, once. */
function checkSound(
  { say, protocol }: Check,
  name: string,
  wav: Uint8Array,
  snapshot: Snapshot,
): void {
  const { transmissions, error } = protocol.decodeWav(wav)
  const [heard, ...others] = transmissions
  if (!heard) say(name, 'sound_undecodable', error?.message ?? 'carries no transmission')
  else if (others.length > 0)
    say(name, 'sound_differs', `carries ${transmissions.length} transmissions`)
  else {
    const differing = differingFields(heard.fields, fieldsOf(snapshot))
    if (differing.length > 0)
      say(name, 'sound_differs', `decodes to another ${differing.join(', ')} than the snapshot's`)
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

function parsed<T>({ say }: Check, name: string, parse: () => T): T | null {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    say(name, error.code, error.message)
    return null
  }
}
