// Checks one day: recomputes everything that its files state about each other.
import { concludeDay } from '../../protocol/index.ts'
import { decodeWav } from '../../protocol/receiver/index.ts'
import { contradictionIn } from '../format/contradictions.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, type Medium, parseManifest } from '../format/manifest.ts'
import { byKind, MEDIA_KINDS, type MediaKind } from '../format/media.ts'
import { keyOf, manifestName, snapshotName } from '../format/paths.ts'
import {
  fieldsOf,
  hasMessages,
  parseSnapshot,
  type Snapshot,
  snapshotBytes,
} from '../format/snapshot.ts'
import { type Sum, sumsOfDay } from '../format/sums.ts'
import type { Place } from '../place/place.ts'
import type { DayLink } from './chain.ts'
import { type Check, type Decode, parsed, readNamed, type Survey } from './day-check.ts'
import type { Finding } from './findings.ts'
import { checkLeaves } from './leaves.ts'
import { checkMedium, checkSize } from './medium.ts'
import { checkRecords, type Explains } from './records.ts'

/** The findings of a day, and the data that the checks of chain and log need. */
export interface CheckedDay {
  findings: Finding[]
  link: DayLink
  /** Null if it is damaged. */
  manifest: Manifest | null
  /** The manifest and the files it names; null if the manifest is damaged. */
  sums: Sum[] | null
}

export interface DayOptions {
  decode?: Decode
  kinds?: readonly MediaKind[]
  quick?: boolean
  explains?: Explains | undefined
}

const NO_MANIFEST = { manifest: null, sums: null }

/**
 * Checks everything about a day except the chain, for which it returns the link.
 * @param options.decode replaces the decoder, for instance to decode in another thread or not twice
 * @param options.kinds the media kinds that the archive has
 * @param options.explains what explains hidden messages, for a mirror that keeps the records of the days
 * @param options.quick see VerifyOptions
 */
export async function checkDay(
  place: Place,
  survey: Survey,
  day: string,
  { decode = decodeWav, kinds = MEDIA_KINDS, quick = false, explains }: DayOptions = {},
): Promise<CheckedDay> {
  const findings: Finding[] = []
  const report: Check['report'] = (name, code, message) => {
    findings.push({ code, file: place.nameOf(keyOf(day, name)), message })
  }
  const check = { day, place, survey, decode, findings, report }
  const { manifest, sums } = await checkManifest(check, kinds)
  const link = await checkSnapshot(check, manifest)
  if (manifest) {
    // The sound must carry `<day>.json`, or the embedded snapshot if that file is not the one the manifest names.
    const isNamed = link.sha256 === manifest.snapshot_file.sha256
    const carried = (isNamed && link.snapshot) || manifest.snapshot
    const media = byKind<Medium>(manifest.media).filter(([kind]) => kinds.includes(kind))
    for (const [kind, medium] of media)
      if (quick) await checkSize(check, medium)
      else await checkMedium(check, kind, medium, carried)
    const { records } = manifest.snapshot
    const hasLeaves = hasMessages(records) && (await checkLeaves(check, records))
    if (explains) await checkRecords(check, manifest.snapshot, hasLeaves, explains)
  }
  return { findings, link, manifest, sums }
}

async function checkManifest(
  check: Check,
  kinds: readonly MediaKind[],
): Promise<{ manifest: Manifest | null; sums: Sum[] | null }> {
  const { day, survey, findings, report } = check
  const name = manifestName(day)
  const file = await readNamed(check, name)
  const manifest =
    file && parsed(check, name, 'invalid_manifest', () => parseManifest(file.content))
  if (!file || !manifest) return NO_MANIFEST
  if (manifest.day !== day) {
    report(name, 'wrong_day', `is the manifest of ${manifest.day}`)
    return NO_MANIFEST
  }
  findings.push(...(await survey.crossCheck(day, manifest, file.content)))
  return { manifest, sums: sumsOfDay(manifest, file.content, kinds) }
}

/** Compares `<day>.json` with the hash and the embedded snapshot of the manifest. */
async function checkSnapshot(check: Check, manifest: Manifest | null): Promise<DayLink> {
  const { day, place } = check
  const name = snapshotName(day)
  const link: DayLink = { day, file: place.nameOf(keyOf(day, name)), sha256: null, snapshot: null }
  const file = await readNamed(check, name)
  if (!file) return link
  link.sha256 = sha256Of(file.content)
  if (manifest) compareSnapshot(check, manifest, link.sha256, file.content.length)
  link.snapshot = parsed(check, name, 'invalid_snapshot', () => parseSnapshot(file.content))
  if (link.snapshot) checkContent(check, link.snapshot)
  return link
}

function compareSnapshot(check: Check, manifest: Manifest, sha256: string, bytes: number): void {
  const { day, report } = check
  const embedded = snapshotBytes(manifest.snapshot)
  const same = sha256 === sha256Of(embedded)
  const named = manifest.snapshot_file
  // Three hashes should agree: the file, the hash named, the embedded snapshot. Blame the one that differs from both.
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
      `embeds another snapshot than ${snapshotName(day)}`,
    )
  else if (bytes !== named.bytes)
    report(manifestName(day), 'snapshot_size', `names ${named.bytes} bytes; there are ${bytes}`)
}

function checkContent(check: Check, snapshot: Snapshot): void {
  const { day, report } = check
  if (snapshot.day !== day) report(snapshotName(day), 'wrong_day', `is of ${snapshot.day}`)
  const contradiction = contradictionIn(snapshot)
  if (contradiction)
    report(snapshotName(day), 'invalid_snapshot', `contradicts itself: ${contradiction}`)
  const expected = concludeDay(fieldsOf(snapshot))
  if (snapshot.conclusion !== expected)
    report(
      snapshotName(day),
      'conclusion',
      `concludes ${snapshot.conclusion}; its fields give ${expected}`,
    )
}
