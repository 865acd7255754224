// A week of a board in minutes: two servers on PostgreSQL with its own clocks, demo traffic through each midnight, nights with
// real renderings, a mirror with records, moderation, a new key, a failover, a backup and its restore. At the end everything
// verifies and all accounts agree.
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mirror } from '../../pipeline/commands/mirror.ts'
import { verify } from '../../pipeline/commands/verify.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { withPipeline } from '../../pipeline/run/session.ts'
import { openDatabase } from '../../server/database/open.ts'
import { demoMonth } from '../../server/demo/month.ts'
import { executeHere } from '../pipeline/commands/in-process.ts'
import { archiveDay, UNHEARD } from '../pipeline/workshop.ts'
import { ON_POSTGRES } from '../support/database.ts'
import { operator } from '../support/operator.ts'
import { random } from '../support/random.ts'
import { temporaryFolder } from '../support/release.ts'
import { LIGHT_RENDERERS } from '../support/renderings.ts'
import { elapse } from '../support/time.ts'
import { History } from './history.ts'
import { MINUTES, SEED } from './length.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000
const DAYS = MINUTES > 0 ? 7 : 2
/** How long traffic goes on in each quarter of a day [ms]. */
const QUARTER_MS = MINUTES > 0 ? 8_000 : 500
/** On these days, counted from 1; all of them also in the short form. */
const [REKEYED, FAILED_OVER, RESTORED] = MINUTES > 0 ? [3, 4, 6] : [1, 1, 2]

/** What the visitors of the demo say. */
const TEXTS = demoMonth().flatMap(({ activities }) =>
  activities.flatMap((activity) => ('body' in activity ? [activity.body] : [])),
)

/** A history whose nights render their days: in the short form, into small pictures, and sounds that are not decoded. */
class Week extends History {
  rekey = false

  protected override async publish(due: string[]): Promise<void> {
    const { environment, clock } = this.world
    const config = readPipelineConfig({ ...environment, PATH: '' }, process.versions, 1)
    const { signal } = new AbortController()
    const tools = MINUTES > 0 ? {} : LIGHT_RENDERERS
    const options = { clock, random: () => 0, signal, report: UNHEARD, rekey: this.rekey, tools }
    this.rekey = false
    await withPipeline(config, options, async (run, unlogged) => {
      for (const { error } of unlogged) throw error
      for (const day of due) await archiveDay(run, day)
    })
  }

  /** Moves the records to a new database and the archive to a copy of itself, as after the loss of a machine. */
  async restore(): Promise<void> {
    const { world } = this
    const backup = join(temporaryFolder(), 'records')
    const archive = `${world.archiveDir}.backup`
    await this.crowd.rest(async () => {
      await this.succeed('export', backup)
      cpSync(world.archiveDir, archive, { recursive: true })
      await world.replaceDatabase(async () => {
        rmSync(world.archiveDir, { recursive: true })
        renameSync(archive, world.archiveDir)
        const { clock, database } = world
        await (await openDatabase(database, { clock, create: true })).close()
        await this.succeed('import', backup)
      })
    })
  }

  async succeed(...args: string[]): Promise<void> {
    expect(await this.operate(...args)).toMatchObject({ code: 0, err: '' })
  }
}

/** Runs a command that must find nothing wrong. */
async function succeed(command: typeof verify, ...args: string[]): Promise<void> {
  const { status, out, error } = await executeHere(command, args)
  expect([status, error], String(out)).toEqual([0, ''])
}

/** The number of messages that a board made of the mirror shows. */
async function messagesOf(copy: string): Promise<number> {
  const board = { dataDir: temporaryFolder() }
  expect(await operator(board, ['import', copy])).toMatchObject({ code: 0 })
  const { out } = await operator(board, ['status', '--json'])
  return JSON.parse(out).records.messages.visible
}

/** Lives the week, and compares all accounts. */
async function live(week: Week, world: World): Promise<void> {
  const copy = join(temporaryFolder(), 'mirror')
  const served = () => world.machines[0]?.server?.url as string
  const update = () => succeed(mirror, served(), copy, '--records', '--media', 'wav,png')
  await week.begin(TEXTS)
  for (let day = 1; day <= DAYS; day++) {
    for (const quarter of [1, 2, 3, 4]) {
      await week.during(elapse(QUARTER_MS, 'visitors read and write'))
      for (let times = 0; times < 3; times++) await week.during(week.moderate())
      if (quarter === 2 && day === FAILED_OVER) await week.during(world.failOver())
      if (quarter === 3 && day === RESTORED) await week.restore()
      if (quarter < 4) world.pass(3 * HOUR_MS)
    }
    world.pass(world.toNight)
    week.rekey = day === REKEYED
    await week.during(week.run())
    await week.during(update())
  }
  await week.judge()
  const sealed = [...week.model.messages.keys()]
  await week.during(update())
  await week.end()
  await succeed(verify, copy)
  await succeed(verify, served())
  const visible = week.model.visible.filter(({ id }) => sealed.includes(id))
  expect(await messagesOf(copy)).toBe(visible.length)
  if (MINUTES > 0) process.stdout.write(`week: ${week.model.messages.size} messages\n`)
}

test.runIf(ON_POSTGRES)(
  'after a week of traffic, nights, mirrors, moderation, a new key, a failover and a restore, all accounts agree',
  async () => {
    const source = random(SEED)
    const world = await World.open(source, true, true)
    await live(new Week(world, source), world).finally(() => world.close())
  },
  (MINUTES + 20) * 60_000,
)
