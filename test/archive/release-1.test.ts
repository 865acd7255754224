// The current code reads, serves, verifies and repairs an archive and a database that release 1 wrote.
// Rules: WRITING.md 2.2-2.4.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sha256Of } from '../../archive/format/hash.ts'
import { manifestBytes, parseManifest } from '../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../archive/format/paths.ts'
import { parseSnapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { openServed } from '../../archive/place/locate.ts'
import { openReader } from '../../archive/reading/reader.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { RENDERER } from '../../pipeline/render/rendering.ts'
import { overwriteFile } from '../support/overwrite-file.ts'
import { IN_FULL } from '../support/runs.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { standInFfmpeg } from '../support/stand-in-ffmpeg.ts'
import { decode } from './decoding.ts'
import {
  copyOfRelease1,
  DAYS,
  FILMED,
  nameOf,
  published,
  type Release1,
  UNFILMED,
} from './release-1.ts'

let release: Release1
beforeAll(() => {
  release = copyOfRelease1()
})
afterAll(() => release.remove())

/** The report of verify on the undamaged archive. */
const CLEAN_REPORT = {
  ok: true,
  days: DAYS.map((day) => ({ day, ok: true, findings: [] })),
  findings: [],
}

describe('the archive of release 1', () => {
  it('the archive of release 1 verifies without any finding', async () => {
    expect(await verifyArchive(folderPlace(release.archiveDir), { decode })).toEqual(CLEAN_REPORT)
  })

  it.each(DAYS)('the schemas write the files of release 1 again byte for byte: %s', (day) => {
    const snapshot = published(day, snapshotName(day))
    expect(snapshot.equals(snapshotBytes(parseSnapshot(snapshot)))).toBe(true)
    const manifest = published(day, manifestName(day))
    expect(manifest.equals(manifestBytes(parseManifest(manifest)))).toBe(true)
  })

  it('the reader of the server reads the whole archive of release 1', async () => {
    const reader = openReader(release.archiveDir)
    expect(await reader.days()).toEqual(DAYS)
    for (const day of DAYS) {
      const manifest = await reader.manifest(day)
      expect(manifest?.bytes).toEqual(published(day, manifestName(day)))
      expect((await reader.snapshot(day))?.bytes).toEqual(published(day, snapshotName(day)))
      for (const medium of Object.values(manifest?.manifest.media ?? {})) {
        if (!medium.available) continue
        const open = await reader.openMedia(day, medium.filename)
        expect(sha256Of(await new Response(await open?.open()).bytes())).toBe(medium.sha256)
      }
    }
  })
})

describe('a service on the data of release 1', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ DATA_DIR: release.dataDir })
  })
  afterAll(() => service.stop())

  it('the service returns the messages and investigations of the database', async () => {
    const message = await fetch(`${service.url}/messages/1.json`)
    expect(message.status).toBe(200)
    expect(await message.json()).toMatchObject({
      id: 1,
      directory: 'river',
      body: 'Water level by the footbridge: 1.12 m. Clear, slow, two herons.',
      body_hash: '424b4d4a413fc29a51e2109f66dd8088702fe6200a95d928edd772ab8fc7743d',
      author_label: 'mill lane',
    })
    const list = (await (await fetch(`${service.url}/api/v1/investigations`)).json()) as object
    expect(list).toMatchObject({ items: [{ id: 1 }, { id: 2 }, { id: 3 }], has_more: false })
  })

  it('the service continues the ids of release 1', async () => {
    const response = await fetch(`${service.url}/api/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ directory: 'river', body: 'Still here.' }),
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ message_id: 40 })
  })

  it('the service provides an archive that verifies over HTTP', async () => {
    expect(await verifyArchive(await openServed(service.url), { decode })).toEqual(CLEAN_REPORT)
  })
})

describe.each([
  ['lost', (path: string) => rmSync(path)],
  [
    'damaged',
    (path: string) => {
      overwriteFile(path, 'noise')
    },
  ],
])('repair after files were %s', (_, harm) => {
  beforeEach(() => release.reset())

  it.runIf(IN_FULL).each(DAYS)(
    'a repair restores snapshot and sound byte for byte: %s',
    async (day) => {
      const names = [snapshotName(day), nameOf(day, 'wav')]
      for (const name of names) harm(join(release.archiveDir, day, name))
      expect(await release.repair(day)).toMatchObject({ status: 'repaired' })
      for (const name of names) {
        const path = join(release.archiveDir, day, name)
        expect(readFileSync(path).equals(published(day, name))).toBe(true)
      }
      expect(existsSync(join(release.archiveDir, '.staging'))).toBe(false)
      expect(await verifyArchive(folderPlace(release.archiveDir), { decode })).toEqual({
        ...CLEAN_REPORT,
        // The repair started the log of days.
        log: {
          size: DAYS.length,
          origin: 'archive.example/transmissions',
          root: expect.stringMatching(/^[0-9a-f]{64}$/),
          key_checked: false,
          note: expect.stringContaining('archive.example/transmissions'),
        },
      })
    },
  )

  it.runIf(IN_FULL)(
    'a repair does not redraw a picture or film of release 1, but takes them from a copy',
    async () => {
      const names = [nameOf(FILMED, 'png'), nameOf(FILMED, 'mp4')]
      for (const name of names) harm(join(release.archiveDir, FILMED, name))
      expect(await release.repair(FILMED)).toEqual({
        day: FILMED,
        status: 'failed',
        message: ['png', 'mp4']
          .map(
            (kind) =>
              `${kind}: was drawn by renderer 1, and this is renderer ${RENDERER}; restore it from a copy`,
          )
          .join('; '),
      })
      expect(await release.repair(FILMED, { copy: true })).toMatchObject({ status: 'repaired' })
      for (const name of names) {
        const path = join(release.archiveDir, FILMED, name)
        expect(readFileSync(path).equals(published(FILMED, name))).toBe(true)
      }
    },
  )

  it('a repair takes a manifest from a copy byte for byte, and names the command without one', async () => {
    const name = manifestName(UNFILMED)
    const path = join(release.archiveDir, UNFILMED, name)
    await release.repair(UNFILMED)
    harm(path)
    expect(await release.repair(UNFILMED)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/restore it with --repair --from PLACE$/),
    })
    expect(await release.repair(UNFILMED, { copy: true })).toMatchObject({
      status: 'repaired',
      message: name,
    })
    expect(readFileSync(path).equals(published(UNFILMED, name))).toBe(true)
  })
})

it.runIf(IN_FULL)(
  'a film added to a day of release 1 shows the picture of the current renderer throughout',
  async () => {
    release.reset()
    const seen = join(release.dataDir, 'seen.png')
    const watching = join(release.dataDir, 'watching')
    const inner = standInFfmpeg(join(release.dataDir, 'bin'))
    const look = `for arg; do case "$arg" in */picture.png) cp "$arg" '${seen}' ;; esac; done`
    writeFileSync(watching, `#!/bin/sh\n${look}\nexec '${inner}' "$@"\n`, { mode: 0o755 })
    const ffmpeg = { path: watching, version: 'stand-in' }
    expect(await release.repair(UNFILMED, { ffmpeg })).toMatchObject({ status: 'repaired' })
    const { manifest } = (await openReader(release.archiveDir).manifest(UNFILMED))!
    expect(manifest.media.mp4).toMatchObject({ rendered_with: { renderer: RENDERER } })
    expect(readFileSync(seen).equals((await renderPicture(manifest.snapshot)).bytes)).toBe(true)
  },
)
