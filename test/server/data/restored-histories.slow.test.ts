// Random histories of posts, seals, killed runs, backups and restores: no id that a sealed day states is ever given to
// another message, and nothing but a restore is taken for one (API.md 4.5, 9.14).
// Rules: API.md 9.14.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayOf, dayStart } from '../../../archive/format/calendar.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { daysBetween } from '../../../pipeline/days/due-days.ts'
import { compareWithArchive } from '../../../server/data/restored.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { readLog } from '../../../server/database/records/action-log.ts'
import { system } from '../../../server/system/system.ts'
import { backUpDatabase, databaseIn, ON_POSTGRES, removeDatabase } from '../../support/database.ts'
import { type Kill, KillSwitch } from '../../support/kill-switch.ts'
import { publisherIn } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { partsInFolder, runOn } from '../../support/sealing.ts'
import { statedRanges } from './killed-runs.ts'

const FIRST_DAY = '2026-11-17'
const DAY_MS = 86_400_000

type Step =
  | { do: 'post'; count: number }
  | { do: 'seal'; kill: Kill | null }
  | { do: 'back up' }
  | { do: 'restart'; which: number | null; first: 'server' | 'run' }

const posts = fc.record({ do: fc.constant('post' as const), count: fc.integer({ min: 1, max: 3 }) })
const kills = fc.record({
  at: fc.integer({ min: 0, max: 40 }),
  moment: fc.constantFrom('before' as const, 'after' as const),
})
const seals = fc.record({ do: fc.constant('seal' as const), kill: fc.option(kills) })
const backups = fc.record({ do: fc.constant('back up' as const) })
const restarts = (which: fc.Arbitrary<number | null>) =>
  fc.record({
    do: fc.constant('restart' as const),
    which,
    first: fc.constantFrom('server' as const, 'run' as const),
  })

const histories = (which: fc.Arbitrary<number | null>) =>
  fc.array(fc.oneof(posts, seals, backups, restarts(which)), { minLength: 6, maxLength: 20 })

/** A board, its archive, and what readers have seen of it. */
class Board {
  readonly dir = temporaryFolder()
  readonly #backups: { restore(): Promise<void>; last: bigint }[] = []
  #database: Database | null = null
  /** It is noon of this day. */
  #now = dayStart(FIRST_DAY) + DAY_MS / 2
  /** The id of the last message. */
  #last = 0n
  /** The largest id that a sealed day states. */
  #stated = 0n

  get archiveDir(): string {
    return join(this.dir, 'transmissions')
  }

  async database(): Promise<Database> {
    this.#database ??= await openDatabase(await databaseIn(this.dir), {
      clock: system.clock,
      create: true,
    })
    return this.#database
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'post') await this.#post(step.count)
    else if (step.do === 'seal') await this.#seal(step.kill)
    else if (step.do === 'back up') await this.#backUp()
    else await this.#restart(step)
  }

  /** Publishes messages. None may have an id that a day states. */
  async #post(count: number): Promise<void> {
    const publish = publisherIn(await this.database())
    for (let i = 0; i < count; i++) {
      const id = await publish.message('lab', this.#now)
      expect(id).toBeGreaterThan(this.#stated)
      this.#last = id
    }
  }

  /** Lets the day end, and seals it with those that were not sealed before. */
  async #seal(kill: Kill | null): Promise<void> {
    const sealed = await new ArchiveReader(folderPlace(this.archiveDir)).days()
    const due = daysBetween(FIRST_DAY, dayOf(this.#now)).filter((day) => !sealed.includes(day))
    this.#now += DAY_MS
    await this.#run(due, kill)
    await this.#readStated()
  }

  async #run(days: string[], kill: Kill | null): Promise<void> {
    const parts = await partsInFolder(
      this.archiveDir,
      await this.database(),
      new KillSwitch(kill ?? undefined),
    )
    const ended = runOn(parts, this.dir, days, this.#now)
    if (kill) await ended.catch((error) => expect(error.message).toMatch(/killed$/))
    else await ended
  }

  /** What was published counts, also if the run was killed before it logged the day. */
  async #readStated(): Promise<void> {
    for (const { last } of await this.ranges()) if (last > this.#stated) this.#stated = last
  }

  async #backUp(): Promise<void> {
    await this.#stop()
    this.#backups.push({ restore: await backUpDatabase(this.dir), last: this.#last })
  }

  async #restart({ which, first }: Step & { do: 'restart' }): Promise<void> {
    const backup = which === null ? undefined : this.#backups[which % this.#backups.length]
    if (backup) {
      await this.#stop()
      await backup.restore()
      this.#last = backup.last
    }
    if (first === 'run') await this.#run([], null)
    else await this.#start()
  }

  /** Compares, as a server does before it accepts writes. */
  async #start(): Promise<void> {
    const signingKeyFile = join(this.dir, 'signing.key')
    const archive = folderPlace(this.archiveDir)
    await compareWithArchive(await this.database(), archive, { signingKeyFile, now: this.#now })
  }

  ranges() {
    return statedRanges(folderPlace(this.archiveDir))
  }

  async actions(): Promise<string[]> {
    const rows = await readLog((await this.database()).db, 0n, 100)
    return rows.map(({ act }) => act)
  }

  async open(): Promise<void> {
    await publisherIn(await this.database()).directory('lab', this.#now)
    await this.#run([], null)
    // An archive without a log states nothing.
    await this.#seal(null)
  }

  async #stop(): Promise<void> {
    await this.#database?.close()
    this.#database = null
  }

  async close(): Promise<void> {
    await this.#stop()
    await removeDatabase(this.dir)
    rmSync(this.dir, { recursive: true })
  }
}

async function live(history: readonly Step[], check: (board: Board) => Promise<void>) {
  const board = new Board()
  try {
    await board.open()
    for (const step of history) await board.take(step)
    await board.take({ do: 'seal', kill: null })
    await check(board)
  } finally {
    await board.close()
  }
}

const runs = (onSqlite: number) => ({ numRuns: ON_POSTGRES ? 10 : onSqlite })

test('no id that a sealed day states is given again after a restore', async () => {
  const restores = histories(fc.nat({ max: 10 }))
  await fc.assert(
    fc.asyncProperty(restores, (history) =>
      live(history, async (board) => {
        const ranges = await board.ranges()
        for (const [i, { first, last }] of ranges.entries())
          for (const other of ranges.slice(i + 1))
            expect(first > other.last || last < other.first).toBe(true)
      }),
    ),
    runs(40),
  )
}, 600_000)

test('a history of starts, runs and kills without a restore is never taken for one', async () => {
  await fc.assert(
    fc.asyncProperty(histories(fc.constant(null)), (history) =>
      live(history, async (board) => {
        expect(await board.actions()).toEqual([])
      }),
    ),
    runs(15),
  )
}, 600_000)
