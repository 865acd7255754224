// Runs the vectors of snapshots and manifests through every program that reads or writes them.
// Rules: FORMAT.md 1.2-1.5, 3.4, 5.4, 6.3, 18.3, 21.1.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { manifestBytes, parseManifest } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { parseSnapshot, type Snapshot, snapshotBytes } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeManifest } from '../days.ts'
import { verified } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
import { refusalOf } from '../refusal.ts'
import { readVectors } from '../vector-files.ts'

interface Vector {
  why: string
  code: string
  text: string
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What the error says of refused files, one for each rule. */
const SNAPSHOT_RULES: Record<string, string> = {
  'an unknown property': 'weather: unknown property',
  'a missing property': 'conclusion: is missing',
  'a repeated property': 'the key "conclusion" is repeated',
  'two properties in another order':
    'is not in the canonical form (order, white space or spelling)',
  'a byte-order mark': 'is not JSON in UTF-8',
  'an array': 'must be an object',
  'version 2': 'protocol_version: is 2, and must be 1',
  'version 2 with a property of its own': 'protocol_version: is 2, and must be 1',
  'a date that does not exist': 'day: must be a date YYYY-MM-DD',
  'the day after the last': 'day: must be from 1970-01-01 to 2149-06-06',
  'a later beginning': 'from: must be the first instant of the day',
  'an end within the day': 'to: must be the next midnight',
  'a time with an offset': 'generated_at: must be a time like 2026-11-19T00:00:00.000Z',
  'a count as a number': 'counters.message_bytes: must be a canonical decimal from 0 to 18446',
  'an available counter that is null':
    'availability.message_bytes: must be true if and only if the counter is not null',
  'availability as a number': 'availability.message_bytes: must be true or false',
  'an unknown status': 'coverage.status: must be none or partial or complete',
  'an unknown conclusion': 'conclusion: must be inconclusive or quiet or active',
  '86401 seconds': 'coverage.observed_seconds: must be from 0 to 86400, without a fraction',
  'a reason without length': 'coverage.reasons[0]: must be an interval within the day',
  'a later predecessor': 'previous.day: must be an earlier day',
  'a hash in capitals': 'previous.sha256: must be a SHA-256 in 64 lowercase hex digits',
  'ids without a message': 'records.first_message_id: must be null if and only if there is no',
  'more messages than ids': 'records.last_message_id: must leave room for all messages',
}
const MANIFEST_RULES: Record<string, string> = {
  'an unknown property': 'signature: unknown property',
  'a repeated property': 'the key "media" is repeated',
  'a medium less': 'media.mp4: is missing',
  'version 2': 'manifest_version: is 2, and this program reads versions up to 1',
  'another day than its snapshot': 'snapshot.day: must be 2026-11-18',
  'a snapshot that is refused': 'snapshot.clock.status: must be unverified or ok or stepped',
  'a renderer with a leading zero': 'rendered_with.renderer: must be a whole number, at least 1',
  'a path as the name of a file': 'media.png.filename: must be 09caf8eb0b4114bfc6575a6feb05f6f6',
  'an address with another day': 'media.png.url: must be /transmission-media/2026-11-19/09caf8',
  'another content type': 'media.png.content_type: must be image/png',
  'half a byte': 'media.png.bytes: must be a whole number, at least 1',
  'a sound without a duration': 'media.wav.duration_seconds: is missing',
  'a negative duration': 'media.wav.duration_seconds: must be greater than 0',
  'an empty version': 'rendered_with.node: must be 1 to 200 characters',
}

/** What a snapshot alone cannot be free of: its predecessor is not here, and not all ids are of its messages. */
const OF_OTHER_FILES = ['previous_missing', 'ids_not_consecutive']

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

/** Writes a day without media and leaves, whose predecessor is not archived. @returns the other codes that verify reports */
async function codesFor(snapshot: Snapshot): Promise<string[]> {
  const { day } = snapshot
  mkdirSync(join(dir, day))
  writeFileSync(join(dir, day, snapshotName(day)), snapshotBytes(snapshot))
  writeFileSync(join(dir, day, manifestName(day)), manifestBytes(makeManifest(snapshot, {})))
  const found = findingsIn(await verified(dir))
  const others = found.filter(({ file }) => !file.endsWith('.leaves'))
  return others.map(({ code }) => code).filter((code) => !OF_OTHER_FILES.includes(code))
}

describe('snapshots', () => {
  const { accepted, contradictory } =
    readVectors<Record<'accepted' | 'contradictory', Vector[]>>('snapshot.json')
  const staged = () => readdirSync(dir).includes('.incoming')

  test.each(accepted)('a snapshot is read, written and verified: $why', async ({ text }) => {
    const snapshot = parseSnapshot(bytesOf(text))
    expect(Buffer.from(snapshotBytes(snapshot)).toString()).toBe(text)
    const writer = await openWriter(join(dir, 'new'), { create: true })
    expect(await writer.fixSnapshot(snapshot)).toEqual(snapshot)
    rmSync(join(dir, 'new'), { recursive: true })
    expect(await codesFor(snapshot)).toEqual([])
  })

  test.each(contradictory)('a snapshot is read, but reported: $why', async ({ code, text }) => {
    const snapshot = parseSnapshot(bytesOf(text))
    expect(await codesFor(snapshot)).toEqual([code])
    expect((await new ArchiveReader(folderPlace(dir)).snapshot(snapshot.day))?.snapshot).toEqual(
      snapshot,
    )
  })

  test.each(contradictory.filter(({ code }) => code === 'invalid_snapshot'))(
    'the writer does not seal a snapshot: $why',
    async ({ text }) => {
      const writer = await openWriter(dir, { create: true })
      await expect(writer.fixSnapshot(parseSnapshot(bytesOf(text)))).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_snapshot' }),
      )
      expect(staged()).toBe(false)
    },
  )
})

test.each(readVectors<{ accepted: Vector[] }>('manifest.json').accepted)(
  'a manifest is read and written: $why',
  ({ text }) => {
    const manifest = parseManifest(bytesOf(text))
    expect(Buffer.from(manifestBytes(manifest)).toString()).toBe(text)
    expect(manifest.snapshot_file.sha256).toBe(sha256Of(snapshotBytes(manifest.snapshot)))
  },
)

describe.each([
  ['snapshot', parseSnapshot, SNAPSHOT_RULES],
  ['manifest', parseManifest, MANIFEST_RULES],
])('a refused %s', (name, parse, rules) => {
  const { refused } = readVectors<{ refused: Vector[] }>(`${name}.json`)

  test.each(refused)('is read by no program: $why', ({ why, text }) => {
    const said = refusalOf(() => parse(bytesOf(text)))
    expect(said).toMatch(new RegExp(`^invalid_${name}: ${name}: [^\n]*$`))
    expect(said).toContain(rules[why] ?? '')
  })

  test('has its vector for each rule of which the error is known', () => {
    const known = Object.keys(rules)
    expect(refused.map(({ why }) => why)).toEqual(expect.arrayContaining(known))
  })
})
