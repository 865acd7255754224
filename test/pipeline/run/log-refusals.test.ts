// Tests which manifests a run does not log, and which changes of the log stop a run (FORMAT.md 15).
// Rules: FORMAT.md 15.4; WRITING.md 1.6-1.7.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { manifestName } from '../../../archive/format/paths.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { repairDay } from '../../../pipeline/repair/repair.ts'
import { keeperIn, openDayLog } from '../../../pipeline/run/signed-log.ts'
import type { Database } from '../../../server/database/database.ts'
import { archiveDay, openWorkshop } from '../workshop.ts'
import { DAYS, flipped, loggedArchive } from './logged-archive.ts'

const { workshop, path, read, overwrite, config, open, publish, publishAndLog } = loggedArchive()

describe('manifests that a run does not sign', () => {
  it('a run does not name a changed manifest as a predecessor', async () => {
    await publishAndLog(DAYS[0]!)
    const name = `${DAYS[0]}/${manifestName(DAYS[0]!)}`
    overwrite(name, read(name).replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'))
    const pipeline = await workshop.pipeline({}, { log: await open() })
    await expect(archiveDay(pipeline, DAYS[1]!)).rejects.toThrow(/cannot name 2026-11-17/)
  })

  it.each([
    ['folder', DAYS[0]!],
    ['manifest', `${DAYS[0]}/${manifestName(DAYS[0]!)}`],
  ])('a logged day that has lost its %s is not archived again', async (_, lost) => {
    await publishAndLog(DAYS[0]!)
    rmSync(path(lost), { recursive: true })
    const before = readdirSync(workshop.archiveDir, { recursive: true }).sort()
    const pipeline = await workshop.pipeline({}, { log: await open() })
    const refusal =
      /2026-11-17.manifest.json: is in the log but lost; restore it with --repair --from/
    await expect(archiveDay(pipeline, DAYS[0]!)).rejects.toThrow(refusal)
    expect(await repairDay(pipeline, DAYS[0]!)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(refusal),
    })
    expect(readdirSync(workshop.archiveDir, { recursive: true }).sort()).toEqual(before)
  })
})

describe('the check of the log before a run', () => {
  beforeEach(() => publishAndLog(...DAYS))

  const lines = () => read('log').split(/(?<=\n)/)
  const deleteKeptCheckpoint = (database: Database) =>
    database.write((tx) => tx.deleteFrom('settings').where('name', '=', 'log.checkpoint').execute())

  it.each([
    ['cut', () => overwrite('log', lines().slice(0, 2).join(''))],
    ['extended', () => overwrite('log', `${lines().join('')}2026-11-20 ${'a'.repeat(64)}\n`)],
    ['reordered', () => overwrite('log', lines().toReversed().join(''))],
    ['with one digit changed', () => overwrite('log', flipped(read('log')))],
    ['without its last line break', () => overwrite('log', read('log').trimEnd())],
  ])('a run rejects a changed log: %s', async (_, damage) => {
    damage()
    const refusal = /^log_rewritten: .*; restore it .* --repair --from MIRROR$/
    await expect(open()).rejects.toThrow(refusal)
    await deleteKeptCheckpoint(workshop.database)
    await expect(open()).rejects.toThrow(refusal)
  })

  it('a run rejects a missing log, with or without its checkpoint', async () => {
    rmSync(path('log'))
    await expect(open()).rejects.toThrow(/^log_missing: .* --repair --from MIRROR$/)
    rmSync(path('checkpoint'))
    await expect(open()).rejects.toThrow(/^log_missing: /)
  })

  it('a run rejects a log that was rolled back with its checkpoint', async () => {
    const [log, checkpoint] = [read('log'), read('checkpoint')]
    await publishAndLog('2026-11-20')
    overwrite('log', log)
    overwrite('checkpoint', checkpoint)
    await expect(open()).rejects.toThrow(/^log_rewritten: log has 3 lines, and 4 were signed/)
  })

  it('a run rejects a checkpoint that another key signed', async () => {
    rmSync(config().signingKeyFile)
    await expect(open()).rejects.toThrow(/^SIGNING_KEY_FILE: .* is missing/)
    const other = await openWorkshop()
    mkdirSync(other.archiveDir)
    await openDayLog(other.database, folderPlace(other.archiveDir), config())
    await expect(open()).rejects.toThrow(/^log_rewritten: .* is not signed by a known key/)
  })

  it('a run rejects a checkpoint with one changed byte', async () => {
    overwrite('checkpoint', read('checkpoint').replace('\n3\n', '\n2\n'))
    await expect(open()).rejects.toThrow(/^log_rewritten: checkpoint: /)
  })

  it('a run rejects another LOG_ORIGIN, and accepts another default', async () => {
    await expect(open({ logOrigin: 'other.example/log' })).rejects.toThrow(/^LOG_ORIGIN: /)
    await open({ defaultLogOrigin: 'other.example/transmissions' })
    await open({ logOrigin: 'archive.example/transmissions' })
  })

  it('a run does not append a leaf that a concurrent run has appended', async () => {
    const [one, other] = [await open(), await open()]
    await publish('2026-11-20')
    await one.append(['2026-11-20'])
    const [log, checkpoint] = [read('log'), read('checkpoint')]
    expect(await other.append(['2026-11-20'])).toEqual([])
    expect([read('log'), read('checkpoint')]).toEqual([log, checkpoint])
    const further = ['2026-11-21', '2026-11-22']
    for (const [i, run] of [one, other].entries()) {
      await publish(further[i]!)
      await run.append([further[i]!])
    }
    expect(parseLog(Buffer.from(read('log'))).map(({ day }) => day)).toEqual([
      ...[...DAYS, '2026-11-20'],
      ...further,
    ])
  })

  it('a run continues when only the database has lost the checkpoint', async () => {
    await deleteKeptCheckpoint(workshop.database)
    const log = await open()
    await log.append(DAYS)
    expect(await keeperIn(workshop.database).read()).toBe(read('checkpoint'))
  })

  it("a run publishes the database's checkpoint when the published one is old or missing", async () => {
    const old = read('checkpoint')
    await publishAndLog('2026-11-20')
    const newest = read('checkpoint')
    overwrite('checkpoint', old)
    await (await open()).append(DAYS)
    expect(read('checkpoint')).toBe(newest)
    rmSync(path('checkpoint'))
    await (await open()).append(DAYS)
    expect(read('checkpoint')).toBe(newest)
  })
})
