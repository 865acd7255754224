// What an archive states about message ids, which of its days are read for it, and which archives are trusted.
// Rules: API.md 9.14.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { manifestKey, snapshotKey, snapshotName } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { type Known, readStatement } from '../../../archive/reading/stated-days.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeManifest, makeSnapshot, NO_RECORDS, perCounter } from '../days.ts'
import { type MemoryKeeper, memoryKeeper, openTestLog, testKey } from '../signing.ts'

const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19'] as const
const [FIRST, SECOND, THIRD] = DAYS

let dir: string
let keeper: MemoryKeeper
/** The keys of the archive that were read. */
let read: string[]
beforeEach(() => {
  dir = temporaryFolder()
  keeper = memoryKeeper()
  read = []
})

const path = (key: string) => join(dir, key)

const recordsUpTo = (last: number): Snapshot['records'] => ({
  count: '50',
  first_message_id: String(last - 49),
  last_message_id: String(last),
  root: '0'.repeat(64),
})

const QUIET: Partial<Snapshot> = { counters: perCounter(() => '0'), conclusion: 'quiet' }

async function publishDay(day: string, records: Snapshot['records']): Promise<void> {
  const writer = await openWriter(dir, { create: true })
  // A day states at least as many messages as it counts.
  const quiet = records.count === '0' ? QUIET : {}
  const snapshot = await writer.fixSnapshot(makeSnapshot(day, { ...quiet, records }))
  await writer.seal(makeManifest(snapshot, {}))
}

const logDays = async (keys: number[], ...days: string[]) =>
  (await openTestLog(dir, { keeper, keys })).append(days)

async function sealDay(day: string, last: number): Promise<void> {
  await publishDay(day, recordsUpTo(last))
  await logDays([1], day)
}

/** Seals days whose last ids are 100, 200 and 300. */
async function sealAll(): Promise<void> {
  for (const [index, day] of DAYS.entries()) await publishDay(day, recordsUpTo(100 * (index + 1)))
  await logDays([1], ...DAYS)
}

const NOTHING_KNOWN: Known = { checkpoint: null, issued: 0n }

/** @param keys the bytes of the keys at hand */
function statementOf(
  known: Partial<Known> = {},
  { keys = [1], now = '2026-11-20T08:00:00Z' } = {},
) {
  const place = folderPlace(dir)
  const archive = {
    name: place.name,
    nameOf: place.nameOf,
    folders: () => place.folders(),
    read: (key: string) => {
      read.push(key)
      return place.read(key)
    },
  }
  const signingKeyFile = join(temporaryFolder(), 'signing.key')
  for (const [i, byte] of keys.entries()) {
    const pem = testKey(byte).export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(i === 0 ? signingKeyFile : `${signingKeyFile}.0000000${i}`, pem)
  }
  return readStatement(
    archive,
    { ...NOTHING_KNOWN, ...known },
    { signingKeyFile, now: Date.parse(now) },
  )
}

const manifestsRead = () => read.filter((key) => key.endsWith('.manifest.json'))

describe('what days state', () => {
  it('each day states the id of its last message', async () => {
    await sealAll()
    expect(await statementOf()).toMatchObject({ days: DAYS, lastId: 300n, problems: [] })
  })

  it('a day without messages states none', async () => {
    await publishDay(FIRST, NO_RECORDS)
    await logDays([1], FIRST)
    expect(await statementOf()).toMatchObject({ days: [], lastId: 0n, problems: [] })
  })

  it('the newest end is that of the newest day that is over', async () => {
    await sealAll()
    const end = async (now: string) => (await statementOf({}, { now })).newestEnd
    expect(await end('2026-11-20T00:00:00Z')).toBe(Date.parse('2026-11-20T00:00:00Z'))
    expect(await end('2026-11-19T23:59:59Z')).toBe(Date.parse('2026-11-19T00:00:00Z'))
    expect(await end('2026-11-01T00:00:00Z')).toBe(0)
  })

  it('a sealed day counts although a killed run has not logged it', async () => {
    await sealDay(FIRST, 100)
    await publishDay(SECOND, recordsUpTo(200))
    expect(await statementOf()).toMatchObject({ days: [FIRST, SECOND] })
  })

  it('a fixed snapshot counts although a killed run has not sealed the day', async () => {
    await sealDay(FIRST, 100)
    const snapshot = makeSnapshot(SECOND, { records: recordsUpTo(200) })
    await (await openWriter(dir, { create: false })).fixSnapshot(snapshot)
    expect(await statementOf()).toMatchObject({ days: [FIRST, SECOND], lastId: 200n })
  })
})

describe('which days are read', () => {
  it('only the newest day with messages is read, if the database has issued its ids', async () => {
    await sealAll()
    expect(await statementOf({ issued: 300n })).toMatchObject({ days: [], problems: [] })
    expect(manifestsRead()).toEqual([manifestKey(THIRD)])
  })

  it('days are read backwards while they state ids that the database has not issued', async () => {
    await sealAll()
    expect(await statementOf({ issued: 150n })).toMatchObject({ days: [SECOND, THIRD] })
    expect(await statementOf({ issued: 299n })).toMatchObject({ days: [THIRD] })
    read = []
    await statementOf({ issued: 200n })
    expect(manifestsRead()).toEqual([THIRD, SECOND].map(manifestKey))
  })

  it('a day that lies ahead does not end the reading', async () => {
    await sealAll()
    const now = '2026-11-18T12:00:00Z'
    expect(await statementOf({ issued: 300n }, { now })).toMatchObject({ days: [] })
    expect(manifestsRead()).toEqual([THIRD, SECOND, FIRST].map(manifestKey))
  })

  it('days without messages are passed by, unless the database knows their leaves', async () => {
    await publishDay(FIRST, recordsUpTo(100))
    await publishDay(SECOND, NO_RECORDS)
    await logDays([1], FIRST, SECOND)
    const checkpoint = keeper.kept
    await publishDay(THIRD, NO_RECORDS)
    await logDays([1], THIRD)
    expect(await statementOf({ issued: 99n })).toMatchObject({ days: [FIRST] })
    read = []
    expect(await statementOf({ checkpoint, issued: 100n })).toMatchObject({ days: [] })
    expect(manifestsRead()).toEqual([THIRD, SECOND].map(manifestKey))
  })

  it.each([
    ['missing', rmSync, 'is missing'],
    ['damaged', (file: string) => overwriteFile(file, '{}'), 'is not the manifest that was logged'],
  ])('a day whose manifest is %s is named, earlier ones are read', async (_, damage, message) => {
    await sealAll()
    damage(path(manifestKey(SECOND)))
    const first = await statementOf()
    expect(first.days).toEqual([FIRST, THIRD])
    expect(first.problems.map((error) => error.message)).toEqual([
      `${manifestKey(SECOND)}: ${message}`,
    ])
  })

  it('a damaged snapshot that is not sealed is named', async () => {
    await sealDay(FIRST, 100)
    await folderPlace(dir).put(snapshotKey(SECOND), Buffer.from('{}'))
    const { problems } = await statementOf()
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining(snapshotName(SECOND)),
    ])
  })
})

describe('which archives are trusted', () => {
  async function refusal(...args: Parameters<typeof statementOf>) {
    const { days, problems } = await statementOf(...args)
    expect(days).toEqual([])
    return problems[0]?.code
  }

  it('a mirror, an archive without a log and one without a checkpoint state nothing', async () => {
    const nothing = { days: [], lastId: 0n, newestEnd: 0, problems: [] }
    await publishDay(FIRST, recordsUpTo(100))
    expect(await statementOf()).toEqual(nothing)
    await logDays([1], FIRST)
    rmSync(path('checkpoint'))
    expect(await statementOf()).toEqual(nothing)
    await logDays([1])
    writeFileSync(path('mirror.json'), 'anything')
    expect(await statementOf()).toEqual(nothing)
  })

  it('a log signed by a key at hand is trusted by a database without a checkpoint, any other is not', async () => {
    await sealAll()
    expect(await statementOf({}, { keys: [2, 1] })).toMatchObject({ days: DAYS })
    expect(await refusal({}, { keys: [2] })).toBe('unknown_signer')
    expect(await refusal({}, { keys: [] })).toBe('unknown_signer')
  })

  it('a log signed by a key of the checkpoint in the database is trusted without a key at hand', async () => {
    await sealDay(FIRST, 100)
    const checkpoint = keeper.kept
    await publishDay(SECOND, recordsUpTo(200))
    await logDays([2, 1], SECOND)
    expect(await statementOf({ checkpoint }, { keys: [] })).toMatchObject({ days: [FIRST, SECOND] })
  })

  it('a log that only another key has signed is not trusted, although `key` names it and it is at hand', async () => {
    await sealDay(FIRST, 100)
    const checkpoint = keeper.kept
    rmSync(dir, { recursive: true })
    keeper = memoryKeeper()
    await sealAll()
    rmSync(path('checkpoint'))
    rmSync(path('log'))
    keeper = memoryKeeper()
    await logDays([2], ...DAYS)
    expect(readFileSync(path('key'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(await refusal({ checkpoint }, { keys: [2] })).toBe('unknown_signer')
  })

  it('a log that does not continue the checkpoint in the database is not trusted', async () => {
    await sealDay(SECOND, 100)
    const checkpoint = keeper.kept
    rmSync(dir, { recursive: true })
    keeper = memoryKeeper()
    await sealAll()
    expect(await refusal({ checkpoint })).toBe('log_rewritten')
  })

  it('a log that is not the one that its checkpoint signs is not trusted', async () => {
    await sealAll()
    overwriteFile(path('log'), readFileSync(path('log')).slice(0, 76))
    expect(await refusal()).toBe('log_rewritten')
  })

  it('an archive that is older than the checkpoint in the database states what it has', async () => {
    await sealDay(FIRST, 100)
    const older = new Map<string, Uint8Array>()
    for (const name of ['log', 'checkpoint']) older.set(name, readFileSync(path(name)))
    await sealDay(SECOND, 200)
    rmSync(path(SECOND), { recursive: true })
    for (const [name, content] of older) overwriteFile(path(name), content)
    expect(await statementOf({ checkpoint: keeper.kept })).toMatchObject({ days: [FIRST] })
  })

  it('a missing archive is unavailable', async () => {
    rmSync(dir, { recursive: true })
    await expect(statementOf()).rejects.toMatchObject({ code: 'archive_unavailable' })
  })
})
