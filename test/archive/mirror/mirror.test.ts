// Mirrors of an archive behind a plain file server: what is downloaded, and the resulting folder.
// Rules: FORMAT.md 3.4, 12.5, 15.4, 19.1; COMMANDS.md 4.1, 4.4.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import type { Selection } from '../../../archive/format/mirror.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { openServed } from '../../support/served.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { elapse } from '../../support/time.ts'
import { filenameOf, withoutFilm } from '../days.ts'
import { verified } from '../decoding.ts'
import { found } from '../findings.ts'
import { forge } from '../forger.ts'
import { memoryKeeper, vkeyOf } from '../signing.ts'
import { days, mediaIn, mirrorFixture, put } from './mirror-fixture.ts'
import { filesIn, publishSigned, sendFile, serveFolder, signDays } from './signed-archive.ts'

const at = mirrorFixture()

describe('mirrors', () => {
  test('a mirror contains every file of the archive byte for byte, and verifies', async () => {
    expect(await at.mirror()).toMatchObject({ ok: true, days: 2, updated: 2, findings: [] })
    const files = filesIn(at.dir)
    for (const [name, bytes] of filesIn(at.source)) expect(files.get(name), name).toEqual(bytes)
    const report = await verified(at.dir)
    expect(report).toMatchObject({ ok: true, log: { size: 2 } })
    expect(readdirSync(at.dir)).not.toContain('.refused')
  })

  test('a mirror requests at most six files when nothing is new, and otherwise downloads only new files', async () => {
    await at.mirror()
    at.server.requests.length = 0
    expect(await at.mirror()).toMatchObject({ ok: true, updated: 0 })
    expect(at.server.requests.length).toBeLessThanOrEqual(6)
    await at.publishThird()
    at.server.requests.length = 0
    expect(await at.mirror()).toMatchObject({ ok: true, days: 3, updated: 1 })
    const ofDays = at.server.requests.filter((path) => path.startsWith('/2026'))
    expect(ofDays).toHaveLength(4)
    expect(ofDays.every((path) => path.startsWith('/2026-11-03/'))).toBe(true)
  })

  test('a mirror of a mirror is the same except for mirror.json', async () => {
    await at.mirror()
    const second = await serveFolder(at.dir)
    const copy = `${at.dir}-copy`
    expect(await at.mirror({ source: second.url, dir: copy })).toMatchObject({ ok: true })
    await second.close()
    const [one, other] = [filesIn(at.dir), filesIn(copy)]
    expect(one.get('mirror.json')).not.toEqual(other.get('mirror.json'))
    for (const files of [one, other]) files.delete('mirror.json')
    expect(other).toEqual(one)
  })

  test('a mirror has the selected days and media, stores the selection, and can only widen it', async () => {
    const selection: Partial<Selection> = { from: '2026-11-02', media: ['png'] }
    await at.mirror({ selection })
    expect(mediaIn(at.dir)).toEqual([`2026-11-02/${filenameOf(days[1], 'png')}`])
    await at.publishThird()
    await at.mirror()
    expect(mediaIn(at.dir)).toHaveLength(2)
    const served = await startTestService({ ARCHIVE_DIR: at.dir }, clockAt('2026-11-20T12:00:00Z'))
    for (const { url } of [await serveFolder(at.dir), served]) {
      const place = await openServed(url, { sleep: () => Promise.resolve() })
      const report = await verified(place)
      expect(report).toMatchObject({ ok: true, findings: [{ code: 'not_selected' }] })
      expect(report.days.map(({ day }) => day)).toEqual(['2026-11-02', '2026-11-03'])
    }
    await expect(at.mirror({ selection: { media: [] } })).rejects.toMatchObject({
      code: 'not_a_mirror',
    })
    expect(await at.mirror({ selection: { media: ['wav', 'png'] } })).toMatchObject({ ok: true })
    expect(mediaIn(at.dir)).toHaveLength(4)
    at.expectOriginBytes()
  })

  test('a new mirror fails in a folder that is not empty', async () => {
    mkdirSync(at.dir)
    put(at.dir, 'letter', 'mine')
    await expect(at.mirror()).rejects.toMatchObject({ code: 'not_a_mirror' })
    expect(readdirSync(at.dir)).toEqual(['letter'])
    await expect(prepareFolder(at.model)).rejects.toMatchObject({ code: 'not_a_mirror' })
  })

  test('a failing disk ends the run with an error that names the folder, after all work has stopped', async () => {
    await at.mirror({ selection: { media: [] } })
    rmSync(join(at.dir, '2026-11-01'), { recursive: true })
    rmSync(join(at.dir, '2026-11-02'), { recursive: true })
    put(join(at.dir, '.incoming'), '2026-11-01', 'in the way')
    const order: string[] = []
    at.answer('/2026-11-02/2026-11-02.manifest.json', (request, response, bytes) => {
      void elapse(200, 'the failure of the other day comes first').then(() => {
        order.push('answered')
        sendFile(request, response, bytes)
      })
    })
    const failed = await at.mirror().catch((error) => order.push('ended') && error)
    expect(failed.message).toMatch(`${at.dir}: cannot be written: ENOTDIR`)
    expect(order).toEqual(['answered', 'ended'])
  })

  test('a mirror downloads a file again if it was lost or has another size', async () => {
    await at.mirror()
    const before = filesIn(at.dir)
    const [sound, picture] = mediaIn(at.dir) as [string, string]
    rmSync(join(at.dir, sound))
    overwriteFile(join(at.dir, picture), 'x')
    rmSync(join(at.dir, '2026-11-01/2026-11-01.json'))
    rmSync(join(at.dir, '2026-11-02/2026-11-02.manifest.json'))
    expect(await at.mirror()).toMatchObject({ ok: true })
    expect(filesIn(at.dir)).toEqual(before)
  })
})

test('a day that contradicts itself is still read, served and mirrored', async () => {
  const covered = { status: 'complete', observed_seconds: 100 }
  const snapshot = ({ coverage }: Snapshot) => Object.assign(coverage, covered)
  await forge(at.source, '2026-11-02', { snapshot }, 'replaced')
  expect(await at.mirror({ keys: [parseVkey(vkeyOf(1))] })).toMatchObject({ ok: true, days: 2 })
  const loaded = await new ArchiveReader(folderPlace(at.dir)).manifest('2026-11-02')
  expect(loaded?.manifest.snapshot.coverage.observed_seconds).toBe(100)
  const report = await verified(at.dir, { quick: true })
  expect(found(report)).toEqual(['invalid_snapshot 2026-11-02/2026-11-02.json'])
})

test('a mirror updates a day when the log shows its upgrade', async () => {
  const whole = days[0]
  rmSync(at.source, { recursive: true })
  const keeper = memoryKeeper()
  await publishSigned(at.source, [withoutFilm(whole)], keeper)
  await at.mirror()
  put(at.source, '2026-11-01/2026-11-01.manifest.json', manifestBytes(whole.manifest))
  put(at.source, `2026-11-01/${filenameOf(whole, 'mp4')}`, whole.media.mp4)
  await signDays(at.source, [whole], keeper)
  at.server.requests.length = 0
  expect(await at.mirror()).toMatchObject({ ok: true, updated: 1 })
  expect(at.server.requests.filter((path) => path.startsWith('/2026'))).toHaveLength(2)
  const report = await verified(at.dir)
  expect(report).toMatchObject({ ok: true, log: { size: 2 } })
})
