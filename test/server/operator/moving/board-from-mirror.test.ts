// operator import DIR: a board from a mirror with records alone answers as its source did.
// Rules: COMMANDS.md 6.9.
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { folderPlace } from '../../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../../archive/reading/reader.ts'
import { dueDays } from '../../../../pipeline/days/due-days.ts'
import { readBeginning } from '../../../../server/data/first-day.ts'
import { isUntouched } from '../../../../server/database/transfer.ts'
import { checkSource, importRows } from '../../../../server/operator/moving/import.ts'
import { mirrorSource } from '../../../../server/operator/moving/mirrored-rows.ts'
import { mirrorFrom } from '../../../archive/mirror/signed-archive.ts'
import { BoardHistory, type Step, steps } from '../../../support/board-history.ts'
import { crawl, differences, type Extent } from '../../../support/crawl.ts'
import { emptyDatabase, openExisting } from '../../../support/database.ts'
import { operated } from '../../../support/operator.ts'
import { temporaryFolder } from '../../../support/release.ts'
import { runs } from '../../../support/runs.ts'
import { sealDays } from '../../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../../support/service.ts'
import { until } from '../../../support/time.ts'

const BEGIN = '2026-11-16T08:00:00Z'
const BASE_URL = 'https://board.example.org'
const OPTIONS = {
  baseUrl: BASE_URL,
  // A mirror does not know what the actions on directories and investigations concern.
  except: /^\/moderation\?(?:message|investigation|directory)=/,
}

/** A mirror of a board that is gone. */
interface Lost {
  mirror: string
  /** What the source answered at the last update. */
  answers: Map<string, string>
  extent: Extent
  /** A copy of its signing key. */
  key: string
  /** The last id. */
  message: bigint
  now: string
  remove(): void
}

/** What changes the records of days that are sealed. A review belongs to the day on which it is made. */
const OPERATED: ReadonlySet<Step['kind']> = new Set(['hide', 'show', 'erase', 'many', 'blank'])

/** Lets steps happen to a board that is sealed and mirrored twice, and deletes it. */
async function loseBoard([first, second, last]: readonly [Step[], Step[], Step[]]): Promise<Lost> {
  const root = temporaryFolder()
  const clock = clockAt(BEGIN)
  const source = await startTestService({ BASE_URL }, clock)
  const mirror = join(root, 'mirror')
  const history = new BoardHistory(source, clock)
  for (const part of [first, second]) {
    for (const step of part) await history.take(step)
    history.endDay()
    await sealDays(source.dataDir, history.endedDays, clock.now(), { BASE_URL })
    await update(source, mirror)
  }
  for (const step of last) if (OPERATED.has(step.kind)) await history.take(step)
  await history.resume()
  await update(source, mirror)
  await expectSameRecords(source, mirror, history)
  // Pages show within a second what the operator has switched (API.md 8.3).
  await until(async () => (await source.client.get('/')).text.includes('href="/write"'))
  const { extent } = history
  const answers = await crawl(source.url, extent, OPTIONS)
  const key = join(root, 'signing.key')
  cpSync(join(source.dataDir, 'signing.key'), key)
  await source.stop()
  const remove = () => rmSync(root, { recursive: true })
  const now = new Date(clock.now()).toISOString()
  return { mirror, answers, extent, key, message: history.lastMessage, now, remove }
}

async function update(source: TestService, dir: string): Promise<void> {
  const report = await mirrorFrom(source.url, dir, { selection: { records: true } })
  expect(report).toMatchObject({ ok: true, findings: [] })
}

/** The folder of the mirror has the texts that the source shows, and no byte of any other. */
async function expectSameRecords(source: TestService, mirror: string, { marks }: BoardHistory) {
  const files = readdirSync(mirror, { recursive: true, encoding: 'utf8' })
    .map((name) => join(mirror, name))
    .filter((path) => statSync(path).isFile())
  const bytes = Buffer.concat(files.map((path) => readFileSync(path)))
  const shown: string[] = []
  for (const [id, mark] of marks)
    if ((await source.client.get(`/messages/${id}.txt`)).status === 200) shown.push(mark)
  expect([...marks.values()].filter((mark) => bytes.includes(mark))).toEqual(shown)
}

/** Starts a service with an empty database, and with the archive and the key of the lost board. */
async function startEmpty(lost: Lost, fill: (board: TestService) => Promise<unknown>) {
  const clock = clockAt(lost.now)
  const board = await startTestService({ BASE_URL }, clock)
  await board.restart({}, async () => {
    await emptyDatabase(board.dataDir)
    await fill(board)
    rmSync(board.archiveDir, { recursive: true, force: true })
    restoreArchive(lost.mirror, board.archiveDir)
    cpSync(lost.key, join(board.dataDir, 'signing.key'))
  })
  return { board, clock }
}

/** Copies the archive out of a mirror, as OPERATING.md says. */
function restoreArchive(mirror: string, to: string): void {
  cpSync(mirror, to, {
    recursive: true,
    filter: (path) =>
      !/mirror\.json$|moderation\.ndjson$|\.records\.ndjson$|\/\.[a-z.]+$/.test(path),
  })
}

/** The page of a hidden record has each action that may concern it: on investigations and directories, all of them. */
async function expectPossibleReasons(board: TestService, messages: number): Promise<void> {
  const { client } = board
  const places = await board.inDatabase(({ db }) =>
    db.selectFrom('investigations').select('id').where('title', '=', '').execute(),
  )
  const { json } = await client.get('/api/v1/moderation?limit=100')
  const { actions } = json as { actions: { id: bigint; target_kind: string }[] }
  const onOthers = actions.filter(({ target_kind: kind }) => /investigation|directory/.test(kind))
  expect(onOthers).not.toEqual([])
  const hidden = places.map(({ id }) => `investigation=${id}`)
  expect(hidden).not.toEqual([])
  for (let id = 1; id <= messages; id += 1)
    if ((await client.get(`/messages/${id}`)).status !== 200) hidden.push(`message=${id}`)
  for (const query of hidden) {
    const { text } = await client.get(`/moderation?${query}&limit=100`)
    for (const action of onOthers) expect(text).toContain(`id="action-${action.id}"`)
  }
}

/** The days that the next run would archive. */
async function daysDue(board: TestService): Promise<string[]> {
  const beginning = await board.inDatabase(({ db }) => readBeginning(db))
  const archived = new Set(await new ArchiveReader(folderPlace(board.archiveDir)).days())
  return dueDays(board.clock.now(), beginning, archived)
}

const progress = { show() {}, clear() {} }

const [parts] = fc.sample(fc.tuple(steps(60), steps(60), steps(20)), { seed: 21, numRuns: 1 })
const lost = await loseBoard(parts as [Step[], Step[], Step[]])
afterAll(() => lost.remove())

describe('a board from a mirror', () => {
  test('after any history, it answers every public GET byte for byte as its source did, goes on with the next id, and seals new days', async () => {
    const parts = fc.tuple(steps(runs(20, 50)), steps(runs(20, 50)), steps(16))
    await fc.assert(
      fc.asyncProperty(parts, async (histories) => {
        const gone = await loseBoard(histories)
        const { board, clock } = await startEmpty(gone, (board) =>
          operated(board, 'import', gone.mirror),
        )
        const found = await crawl(board.url, gone.extent, OPTIONS)
        expect(differences(gone.answers, found)).toEqual([])
        expect(await daysDue(board)).toEqual([])
        const { publish } = board
        await publish.directory('new')
        expect(await publish.message('new', 'after all')).toBe(gone.message + 1n)
        const day = gone.now.slice(0, 10)
        clock.pass(86_400_000)
        await sealDays(board.dataDir, [day], clock.now(), { BASE_URL })
        expect((await board.client.get(`/transmissions/${day}.json`)).json).toMatchObject({
          records: { count: '1', first_message_id: String(gone.message + 1n) },
        })
        await board.stop()
        gone.remove()
      }),
      { numRuns: runs(1, 2), endOnFailure: true },
    )
  }, 600_000)

  test('an import that fails after its last row leaves an empty database, which the next one fills', async () => {
    const { board } = await startEmpty(lost, async (board) => {
      const database = await openExisting(board.config.database)
      const source = mirrorSource(lost.mirror)
      const checked = await checkSource(source, progress)
      const target = { name: 'board', progress }
      const other = { ...checked, sha256: 'of another state' }
      const failing = importRows(database, { source, checked: other }, target)
      await expect(failing).rejects.toThrow('has changed since it was checked; repeat the import')
      expect(await isUntouched(database.db)).toBe(true)
      await importRows(database, { source, checked }, target)
      const again = importRows(database, { source, checked }, target)
      await expect(again).rejects.toThrow('is not empty')
      await database.close()
    })
    const found = await crawl(board.url, lost.extent, OPTIONS)
    expect(differences(lost.answers, found)).toEqual([])
    expect(found.size).toBeGreaterThan(400)
    await expectPossibleReasons(board, lost.extent.messages)
    await board.stop()
  })
})
