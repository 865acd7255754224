// The boards of released versions open as they are: in a folder and in an object store, on SQLite and on PostgreSQL, they are
// served, continued and verified; and they go to a next version, and back with the backup (OPERATING.md 12, 17).
// Rules: API.md 10.1.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nextDay } from '../../../archive/format/calendar.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { verify } from '../../../pipeline/commands/verify.ts'
import { filesIn } from '../../archive/mirror/signed-archive.ts'
import { environmentOf, openTestBucket } from '../../engines/bucket.ts'
import { executeHere } from '../../pipeline/commands/in-process.ts'
import { clientOf } from '../../support/client.ts'
import { setClocks } from '../../support/clock-file.ts'
import { backUpDatabase, dataEnvironment } from '../../support/database.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { ROOT } from '../../support/imports.ts'
import { operator } from '../../support/operator.ts'
import { AS_NEXT_VERSION, runNode } from '../../support/programs.ts'
import {
  changedAnswers,
  LEFT_AT,
  NEXT,
  RECEIPT,
  RELEASED_ENV,
  releasedVersions,
  restoreReleased,
  SEALED,
} from '../../support/released.ts'
import { inFull } from '../../support/runs.ts'
import { sealDays } from '../../support/sealing.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { clockAt, startTestService } from '../../support/service.ts'

/** Where the archive of a board is. */
interface Archive {
  place: Place
  /** The variables that name it. */
  env: Record<string, string>
}

const ARCHIVES = {
  'a folder': async (dataDir: string): Promise<Archive> => ({
    place: folderPlace(join(dataDir, 'transmissions')),
    env: {},
  }),
  'an object store': async (dataDir: string): Promise<Archive> => {
    const isReal = process.env.TEST_BUCKET !== undefined
    const { location } = isReal ? await openTestBucket() : await startFakeBucket()
    const place = await bucketPlace(location, { random: () => 0.1 })
    for (const [key, bytes] of filesIn(join(dataDir, 'transmissions'))) await place.put(key, bytes)
    return { place, env: environmentOf(location) }
  },
} as const

const MESSAGE = { directory: 'river', body: 'Written after the update.' }
const NEWER = /written by a newer Daysignal \(it has 0002_next\); update first/

describe.each(releasedVersions())('a board of %s', (version) => {
  test.each(Object.keys(ARCHIVES) as (keyof typeof ARCHIVES)[])(
    'with its archive in %s answers as before, keeps its promises, seals the next day, and verifies',
    async (kind) => {
      const dataDir = await restoreReleased(version)
      const { place, env } = await ARCHIVES[kind](dataDir)
      const clock = clockAt(LEFT_AT)
      const service = await startTestService({ ...RELEASED_ENV, ...env, DATA_DIR: dataDir }, clock)
      expect(await changedAnswers(service.url, version)).toEqual([])
      expect(service.complaints).toEqual([])
      const kept = await executeHere(verify, [service.url, '--receipt', join(dataDir, RECEIPT)])
      expect(kept).toMatchObject({ status: 0, error: '' })

      await service.publish.message(MESSAGE.directory, MESSAGE.body)
      clock.passTo(`${nextDay(NEXT)}T08:00:00Z`)
      await sealDays(dataDir, [NEXT], clock.now(), { ...RELEASED_ENV, ...env })
      const report = await verifyArchive(place, { log: { pauseMs: 0 } })
      expect(report).toMatchObject({ ok: true, log: { size: SEALED.length + 1 } })
      const checked = await operator({ dataDir, clock }, ['check'], { env })
      expect(checked).toMatchObject({ code: 0, err: '' })
    },
  )

  inFull(
    'is migrated by a next version, beside which this one reads on and refuses to write; it opens again from the backup',
    async () => {
      const dataDir = await restoreReleased(version)
      const restore = await backUpDatabase(dataDir)
      const env = { ...RELEASED_ENV, DATA_DIR: dataDir }
      const clock = clockAt(LEFT_AT)
      const service = await startTestService(env, clock)
      await changedAnswers(service.url, version)

      const clocks = join(dataDir, 'clocks.json')
      setClocks(clocks, { wall: clock.now(), database: clock.now(), sinceBoot: clock.sinceBoot() })
      const next = await startServerProcess({ ...env, ...dataEnvironment(dataDir) }, [
        ...AS_NEXT_VERSION,
        'test/support/clocked-server.ts',
        clocks,
      ])
      expect(await changedAnswers(next.url, version)).toEqual([])
      expect(await changedAnswers(service.url, version)).toEqual([])
      const client = clientOf(() => next.url)
      expect((await client.post('/api/v1/messages', MESSAGE)).status).toBe(201)
      for (const _ of [1, 2]) {
        const refused = await service.client.post('/api/v1/messages', MESSAGE)
        expect([refused.status, refused.code]).toEqual([503, 'storage_unavailable'])
        expect(refused.headers.get('retry-after')).toMatch(/^[0-9]+$/)
      }
      expect((await service.client.get('/readyz')).status).toBe(503)
      expect((await service.client.get('/healthz')).status).toBe(200)
      const lines = service.complaints.map(
        (line) => JSON.parse(line) as { level: number; msg: string },
      )
      expect(lines).toMatchObject([{ level: 50, msg: expect.stringMatching(NEWER) }])

      await next.kill()
      await service.stop()
      for (const program of [
        'server/start.js',
        'server/operator/main.ts status',
        'pipeline/commands/snapshot.ts',
      ]) {
        const ended = await runNode(program.split(' '), {
          cwd: ROOT,
          env: { ...env, ...dataEnvironment(dataDir), SCHEDULE: 'off', PORT: '0' },
        })
        expect([program, ended.status, ended.stderr.match(/\n/g)]).toEqual([program, 1, ['\n']])
        expect(ended.stderr).toMatch(NEWER)
      }
      await restore()
      const again = await startTestService(env, clock)
      expect(await changedAnswers(again.url, version)).toEqual([])
    },
    // Several servers and commands start, also on a busy machine.
    600_000,
  )
})
