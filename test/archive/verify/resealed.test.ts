// A day that contradicts itself. What else an operator with the key may have changed and sealed again is in damaged.json.
// Rules: FORMAT.md 3.4, 13.6, 17.4.
import { cpSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { temporaryFolder } from '../../support/release.ts'
import { forge } from '../forger.ts'
import { makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { vkeyOf } from '../signing.ts'
import { findingsIn } from './damaged-copies.ts'

const LAST = '2026-11-03'
const model = temporaryFolder()
await publishSigned(model, makeDays(3))

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
  cpSync(model, dir, { recursive: true })
})

test('a day that contradicts itself is still read, served and mirrored', async () => {
  const covered = { status: 'complete', observed_seconds: 100 }
  await forge(
    dir,
    LAST,
    { snapshot: ({ coverage }) => Object.assign(coverage, covered) },
    'replaced',
  )
  const loaded = await new ArchiveReader(folderPlace(dir)).manifest(LAST)
  expect(loaded?.manifest.snapshot.coverage.observed_seconds).toBe(100)
  const copy = temporaryFolder()
  await prepareFolder(copy)
  const options = { dir: copy, selection: {}, keys: [parseVkey(vkeyOf(1))], jobs: 2 }
  const { url } = await serveFolder(dir)
  expect(await mirrorArchive({ source: url, ...options })).toMatchObject({ ok: true, days: 3 })
  const report = await verifyArchive(folderPlace(copy), { quick: true })
  expect(findingsIn(report)).toMatchObject([
    { code: 'invalid_snapshot', file: `${LAST}/${LAST}.json` },
  ])
})
