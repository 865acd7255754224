// A database that is restored from a copy older than its archive never gives out an id that a sealed day states
// (API.md 4.5, 9.14).
// Rules: API.md 9.14.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transaction } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextDay } from '../../../archive/format/calendar.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { takeSnapshot } from '../../../pipeline/days/snapshot.ts'
import type { Schema } from '../../../server/database/schema/schema.ts'
import { backUpDatabase, emptyDatabase } from '../../support/database.ts'
import { operated } from '../../support/operator.ts'
import { idsOf } from '../../support/publish.ts'
import { sealDays } from '../../support/sealing.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { until } from '../../support/time.ts'
import { openWriter } from '../../support/writers.ts'

const [FIRST, SECOND, THIRD] = ['2026-11-17', '2026-11-18', '2026-11-19'] as const

let clock: SetClock
let service: TestService
beforeEach(async () => {
  // The test decides when a server looks whether it is time to compare, which it does every 5 s.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  clock = clockAt(`${FIRST}T08:00:00Z`)
  service = await startTestService({}, clock)
  await service.publish.directory('lab')
})
afterEach(async () => {
  vi.useRealTimers()
})

/** Lets time pass, and the server look whether it is time to compare [ms]. */
function pass(ms: number): void {
  clock.pass(ms)
  vi.advanceTimersByTime(5_000)
}

const seal = (...days: string[]) => sealDays(service.dataDir, days, clock.now())

/** Lets a day end, and seals it on the next morning. */
async function endDay(day: string): Promise<void> {
  clock.passTo(`${nextDay(day)}T08:00:00Z`)
  await seal(day)
}

/** Publishes messages. @returns the id of the last one */
async function post(count: number, body = 'a message'): Promise<bigint> {
  let id = 0n
  for (let i = 0; i < count; i++) id = await service.publish.message('lab', body)
  return id
}

/** Stops the service for a copy of its database. @returns a function that restores it while the service is stopped */
async function backUp(): Promise<() => Promise<void>> {
  let restore = async () => {}
  await service.restart({}, async () => {
    restore = await backUpDatabase(service.dataDir)
  })
  return restore
}

/** Has three messages in a copy, and two more that only the sealed first day states. */
async function restoreAfterSealing(): Promise<void> {
  await post(3)
  const restore = await backUp()
  await post(2, 'lost')
  await endDay(FIRST)
  await service.restart({}, restore)
}

/** Sets the sequence of messages back. */
const setLast = (tx: Transaction<Schema>, last: bigint) =>
  tx.updateTable('sequences').set({ last }).where('name', '=', 'message').execute()

const actions = async () =>
  (JSON.parse(await operated(service, 'log', '--json')) as { items: object[] }).items

/** The complaints at level 50. The check of the last sealed day also complains about lost messages, at any time. */
const errors = () =>
  service.complaints
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level >= 50 && !msg.includes('do not match its seal'))
    .map(({ msg }) => msg)

const LOSS =
  'this database is older than the archive: messages 4 to 5, stated by 2026-11-17, are lost; new ' +
  'ones begin at 6'

describe('a database that was restored', () => {
  test('the loss is logged and recorded once, and new records come after those that sealed days state', async () => {
    await restoreAfterSealing()
    const floor = await service.inDatabase(({ db }) =>
      db.selectFrom('sequences').select('last').where('name', '=', 'publish_at').execute(),
    )
    expect(floor).toEqual([{ last: BigInt(Date.parse(`${SECOND}T00:00:00Z`)) }])
    expect(await post(2, 'new')).toBe(7n)
    // A reader that has seen the lost messages misses none.
    expect(idsOf(await service.client.get('/api/v1/messages?after=5'))).toEqual([6n, 7n])
    await service.restart()
    expect(errors()).toEqual([LOSS])
    expect(await actions()).toEqual([
      {
        id: 1,
        at: '2026-11-18T08:00:00.000Z',
        act: 'restored',
        target_kind: 'service',
        target: 'messages 4 to 5',
        reason: 'lost: stated by 2026-11-17, but not in this database',
        ranges: [],
      },
    ])
    expect(await post(1)).toBe(8n)
  })

  test('the status names the lost messages, and has none of a database that was not restored', async () => {
    const statusOf = async () => JSON.parse(await operated(service, 'status', '--json'))
    expect(await statusOf()).toMatchObject({ last_loss: null })
    expect(await operated(service, 'status')).not.toContain('lost')
    await restoreAfterSealing()
    expect(await statusOf()).toMatchObject({
      last_loss: { at: '2026-11-18T08:00:00.000Z', target: 'messages 4 to 5' },
    })
    expect(await operated(service, 'status')).toMatch(
      /^lost +messages 4 to 5, found 2026-11-18.08:00:00/m,
    )
  })

  test('two servers that start at once record the loss once', async () => {
    await restoreAfterSealing()
    await service.restart({}, async () => {
      await service.inDatabase(async (database) => {
        await database.write(async (tx) => {
          await setLast(tx, 3n)
          await tx.deleteFrom('moderation_log').execute()
        })
      })
      const shared = { DATA_DIR: service.dataDir }
      const starting = [startTestService(shared, clock), startTestService(shared, clock)]
      for (const started of await Promise.all(starting)) await started.stop()
    })
    expect(await actions()).toHaveLength(1)
    expect(await post(1)).toBe(6n)
  })

  test('new investigations get ids above those of all investigations that may be lost', async () => {
    const restore = await backUp()
    const lost = await service.publish.investigation('lab')
    await endDay(FIRST)
    await service.restart({}, restore)
    expect((await service.publish.investigation('lab')).id).toBeGreaterThan(lost.id)
  })

  test('days that the copy knew are left alone, and only later ones count as lost', async () => {
    await post(2)
    await endDay(FIRST)
    await post(1)
    const restore = await backUp()
    await post(3, 'lost')
    await endDay(SECOND)
    await service.restart({}, restore)
    expect(await actions()).toMatchObject([
      { target: 'messages 4 to 6', reason: expect.stringContaining(`stated by ${SECOND},`) },
    ])
    expect(await post(1)).toBe(7n)
  })

  test('a new database next to the archive continues after its ids', async () => {
    await post(3)
    await endDay(FIRST)
    await post(1)
    await endDay(SECOND)
    await service.restart({}, () => emptyDatabase(service.dataDir))
    await service.publish.directory('lab')
    expect(await post(1)).toBe(5n)
    expect(await actions()).toMatchObject([
      {
        target: 'messages 1 to 4',
        reason: expect.stringContaining(`by days from ${FIRST} to ${SECOND},`),
      },
    ])
  })

  test('a loss is found although the database knows the newest checkpoint', async () => {
    await restoreAfterSealing()
    await service.restart({}, async () => {
      await seal()
      await service.inDatabase((database) =>
        database.write(async (tx) => {
          await setLast(tx, 4n)
        }),
      )
    })
    expect(await actions()).toMatchObject([{}, { target: 'messages 5 to 5' }])
    expect(await post(1)).toBe(6n)
  })

  test('a run that comes before the server finds the loss, and seals only ids that are new', async () => {
    await post(3)
    const restore = await backUp()
    await post(2, 'lost')
    await endDay(FIRST)
    await service.restart({}, async () => {
      await restore()
      clock.passTo(`${THIRD}T08:00:00Z`)
      expect(await seal()).toEqual([LOSS])
      expect(await seal()).toEqual([])
    })
    expect(await post(1)).toBe(6n)
    expect(errors()).toEqual([])
    expect(await actions()).toHaveLength(1)
  })
})

describe('a snapshot that a killed run has fixed before a restore', () => {
  /** Has the snapshot of the second day, with messages 4 and 5, fixed, and a database restored from before it. */
  async function restoreAfterFixing(whileStopped: () => Promise<unknown>): Promise<void> {
    await post(3)
    await endDay(FIRST)
    const restore = await backUp()
    await post(2, 'lost')
    clock.passTo(`${THIRD}T08:00:00Z`)
    await service.restart({}, async () => {
      await service.inDatabase(async (database) => {
        const first = (await new ArchiveReader(folderPlace(service.archiveDir)).manifest(FIRST))!
          .manifest
        const previous = { day: FIRST, sha256: first.snapshot_file.sha256 }
        const { snapshot } = await takeSnapshot(database, SECOND, previous, clock.now())
        await (await openWriter(service.archiveDir, { create: false })).fixSnapshot(snapshot)
      })
      await restore()
      await whileStopped()
    })
  }

  test('its ids count as stated, and the next run publishes it', async () => {
    await restoreAfterFixing(async () => {})
    expect(errors()).toEqual([LOSS.replaceAll('2026-11-17', SECOND)])
    expect(await post(1)).toBe(6n)
    await service.restart({}, async () => expect(await seal(SECOND)).toEqual([]))
    const { json } = await service.client.get(`/transmissions/${SECOND}.json`)
    expect(json).toMatchObject({ records: { first_message_id: '4', last_message_id: '5' } })
  })
})

describe('an archive that cannot be read', () => {
  const post503 = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })

  test('writes answer 503 until the database has been compared, and reads go on', async () => {
    await restoreAfterSealing()
    const away = `${service.archiveDir}.away`
    await service.restart({}, async () => renameSync(service.archiveDir, away))
    const refused = await post503()
    expect(refused).toMatchObject({
      status: 503,
      json: { error: { code: 'storage_unavailable' } },
    })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await service.client.get('/api/v1/messages')).status).toBe(200)
    renameSync(away, service.archiveDir)
    pass(1_000)
    await until(async () => (await post503()).status === 201)
  })

  test('after a minute the board opens, and the database is compared as soon as it can be', async () => {
    await post(3)
    const restore = await backUp()
    await post(2, 'lost')
    await endDay(FIRST)
    const away = `${service.archiveDir}.away`
    await service.restart({}, async () => {
      await restore()
      renameSync(service.archiveDir, away)
    })
    clock.pass(59_000)
    expect((await post503()).status).toBe(503)
    clock.pass(1_000)
    expect(await post(1)).toBe(4n)
    renameSync(away, service.archiveDir)
    await until(async () => {
      pass(30_000)
      return (await actions()).length > 0
    })
    expect(await actions()).toMatchObject([{ target: 'messages 5 to 5' }])
    expect(await post(1)).toBe(6n)
  })

  test.each([
    ['a damaged checkpoint', 'checkpoint', 'x\n'],
    ['no checkpoint', 'checkpoint', null],
    ['a cut log', 'log', `${FIRST} 00`],
  ])('with %s the board opens with an error, and is compared later', async (_, name, content) => {
    await post(1)
    await endDay(FIRST)
    await post(1)
    const restore = await backUp()
    await post(2, 'lost')
    await endDay(SECOND)
    const file = join(service.archiveDir, name)
    const original = readFileSync(file)
    await service.restart({}, async () => {
      await restore()
      rmSync(file)
      if (content !== null) writeFileSync(file, content)
    })
    expect(errors()).toEqual([
      expect.stringMatching(/^the database cannot be compared with the archive; .*given again: .*/),
    ])
    expect(await post(1)).toBe(3n)
    clock.pass(30_000)
    rmSync(file, { force: true })
    writeFileSync(file, original)
    await until(async () => {
      pass(30_000)
      return (await actions()).length > 0
    })
    expect(await actions()).toMatchObject([{ target: 'messages 4 to 4' }])
    expect(await post(1)).toBe(5n)
    expect(errors()).toHaveLength(2)
  })
})
