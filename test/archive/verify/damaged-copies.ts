// The damaged copies of the sample archive that archive/vectors/damaged.json describes, at each kind of place.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseVkey } from '../../../archive/log/note.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { FindingCode, Report } from '../../../archive/verify/findings.ts'
import { applyChanges, type Change, filesIn } from '../../fixtures/sample/changes.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openServed } from '../../support/served.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { decode } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
import { serveFolder } from '../mirror/signed-archive.ts'

export interface Case {
  why: string
  changes: Change[]
  codes: FindingCode[]
  days: string[]
  since?: string
  key?: string
}

const vectors = fileURLToPath(new URL('../../../archive/vectors/', import.meta.url))
export const SAMPLE = join(vectors, 'sample')
export const DAMAGED = join(vectors, 'damaged.json')
export const { cases } = JSON.parse(readFileSync(DAMAGED, 'utf8')) as { cases: Case[] }

export function damagedCopy({ changes }: Case): string {
  const dir = temporaryFolder()
  cpSync(SAMPLE, dir, { recursive: true })
  applyChanges(dir, changes)
  return dir
}

const AT_ONCE = { sleep: () => Promise.resolve() }

/** How a copy in a folder is read. */
export const PLACES: Record<string, (dir: string) => Place | Promise<Place>> = {
  'a folder': folderPlace,
  async 'a bucket'(dir) {
    const bucket = await startFakeBucket()
    bucket.pageSize = 1000
    for (const key of filesIn(dir)) {
      const body = readFileSync(join(dir, key))
      bucket.objects.set(key, { body, etag: `"${key}"`, at: new Date() })
    }
    return bucketPlace(bucket.location, { random: () => 1 })
  },
  'a file server': async (dir) => openServed((await serveFolder(dir)).url, AT_ONCE),
  async 'a service'(dir) {
    const service = await startTestService({ ARCHIVE_DIR: dir }, clockAt('2026-11-23T12:00:00Z'))
    return openServed(service.url, AT_ONCE)
  },
}

/** Verifies a copy with the options of its case. */
export function verifyCopy(place: Place, { since, key }: Case, quick = false): Promise<Report> {
  const log = {
    pauseMs: 0,
    ...(since !== undefined && { since: Buffer.from(since) }),
    ...(key !== undefined && { keys: [parseVkey(key)] }),
  }
  return verifyArchive(place, { decode, quick, log })
}

/** The findings as "code file: message". */
export const linesOf = (report: Report): string[] =>
  findingsIn(report).map(({ code, file, message }) => `${code} ${file}: ${message}`)

/**
 * What verify says of a copy: its findings, or why it or the service cannot read the archive; without the address of a server.
 */
export async function linesAt(
  kind: string,
  dir: string,
  one: Case,
  quick = false,
): Promise<string[]> {
  let place: Place | undefined
  try {
    place = (await PLACES[kind]?.(dir)) as Place
    const { name } = place
    return linesOf(await verifyCopy(place, one, quick)).map((line) => line.replaceAll(name, ''))
  } catch (error) {
    return [String(error).replaceAll(place?.name ?? dir, '')]
  }
}

/** What verify says of a copy, by the kind of place; left out where it is the same as in a folder. */
export type Said = Record<string, string[]>
export const SAID = fileURLToPath(new URL('damaged-findings.json', import.meta.url))
