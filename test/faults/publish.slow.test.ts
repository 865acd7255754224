// A real run publishes a day, and every one of its file operations, or requests to a bucket, fails in turn or is the last
// before kill -9: readers see whole days only, and the next run gives the same bytes as a run without a fault.
// Rules: FORMAT.md 2.3; WRITING.md 1.2-1.4.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { sha256Of } from '../../archive/format/hash.ts'
import { bucketPlace } from '../../archive/place/bucket.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { ReadFile, WritablePlace } from '../../archive/place/place.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { isNote } from '../../archive/verify/findings.ts'
import { decode } from '../archive/decoding.ts'
import { findingsIn } from '../archive/findings.ts'
import { environmentOf } from '../engines/bucket.ts'
import { CLI } from '../pipeline/commands/command.ts'
import { recordsOf } from '../pipeline/records.ts'
import { openDatabaseIn } from '../support/database.ts'
import { type BucketFault, type FakeBucket, startFakeBucket } from '../support/fake-bucket.ts'
import { ROOT } from '../support/imports.ts'
import { type Ended, endOf, startNode } from '../support/programs.ts'
import { publisherIn } from '../support/publish.ts'
import { random } from '../support/random.ts'
import { temporaryFolder } from '../support/release.ts'
import { standInFfmpeg } from '../support/stand-in-ffmpeg.ts'
import type { FsFault } from './faulty-fs.ts'
import { MINUTES, SEED } from './length.ts'

const [FIRST, SECOND] = ['2026-01-02', '2026-01-03'] as const
const at = (day: string, hour: string) => Date.parse(`${day}T${hour}:05:00Z`)
const [FIRST_NIGHT, SECOND_NIGHT] = [at(SECOND, '00'), at('2026-01-04', '00')] as const
/** How many faults, if not all: for CI. */
const FEW = 3

/** The findings that verify may report until the next run, because a day or its leaf is not finished. */
const WHILE_INTERRUPTED = ['staging_left', 'log_unsigned', 'day_not_logged', 'check_file_old']

const PRELOAD = pathToFileURL(join(ROOT, 'test/faults/faulty-fs.ts')).href
const root = temporaryFolder()
const FFMPEG_PATH = standInFfmpeg(join(root, 'bin'))

interface Fault {
  at: number
  kind: FsFault['kind'] | 'status 500' | 'lost answer'
}

/** An archive with one day, and a second one that is due. */
interface Setting {
  kinds: Fault['kind'][]
  place(): Promise<WritablePlace>
  /** Takes back all that runs have done. */
  reset(): void
  /** @returns how the run ended, and the number of operations */
  run(now: number, fault?: Fault): Promise<{ ended: Ended; operations: number }>
  /** Keeps the present state, for `reset`. */
  keep(): void
}

/** Writes the records of the first day, lets the first run seal it, and writes those of the second. */
async function begin(dataDir: string, { run }: Setting): Promise<void> {
  const database = await openDatabaseIn(dataDir)
  const publish = publisherIn(database)
  await publish.directory('lab', at(FIRST, '01'))
  const { alive } = recordsOf(database)
  const post = async (day: string, night: number) => {
    for (const hour of ['07', '08']) await publish.message('lab', at(day, hour))
    await alive(at(day, '00'), night)
  }
  await post(FIRST, FIRST_NIGHT)
  expect((await run(FIRST_NIGHT)).ended).toMatchObject({ status: 0, stderr: '' })
  await post(SECOND, SECOND_NIGHT)
  await database.close()
}

async function start(dataDir: string, fault: Omit<FsFault, 'count'>, env = {}) {
  const count = join(root, 'count')
  rmSync(count, { force: true })
  const child = startNode(['--import', PRELOAD, CLI], {
    cwd: root,
    env: { DATA_DIR: dataDir, FFMPEG_PATH, FAULT: JSON.stringify({ ...fault, count }), ...env },
  })
  const operations = () => (existsSync(count) ? Number(readFileSync(count, 'utf8')) : 0)
  return { child, ended: endOf(child), operations }
}

const NEVER = { at: -1, kind: 'EIO' } as const

function inFolder(dataDir: string): Setting {
  const kept = `${dataDir}.kept`
  const copy = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }
  return {
    kinds: ['SIGKILL', 'ENOSPC', 'EIO', 'EIO after', 'EIO reading'],
    place: async () => folderPlace(join(dataDir, 'transmissions')),
    keep: () => copy(dataDir, kept),
    reset: () => copy(kept, dataDir),
    async run(now, fault = NEVER) {
      const run = await start(dataDir, { now, ...(fault as typeof NEVER) })
      return { ended: await run.ended, operations: run.operations() }
    },
  }
}

async function inBucket(dataDir: string): Promise<Setting> {
  const bucket: FakeBucket = await startFakeBucket()
  bucket.pageSize = 1000
  const kept = `${dataDir}.kept`
  let objects = new Map(bucket.objects)
  return {
    kinds: ['SIGKILL', 'status 500', 'lost answer'],
    place: () => bucketPlace(bucket.location, { random: () => 0 }),
    keep: () => {
      cpSync(dataDir, kept, { recursive: true })
      objects = new Map(bucket.objects)
    },
    reset: () => {
      rmSync(dataDir, { recursive: true, force: true })
      cpSync(kept, dataDir, { recursive: true })
      bucket.objects.clear()
      for (const [key, object] of objects) bucket.objects.set(key, object)
    },
    async run(now, fault) {
      let operations = 0
      const run = await start(dataDir, { now, ...NEVER }, environmentOf(bucket.location))
      bucket.fault = (): BucketFault => {
        if (operations++ !== fault?.at) return undefined
        if (fault.kind === 'lost answer') return 'lost'
        if (fault.kind === 'SIGKILL') run.child.kill('SIGKILL')
        return 500
      }
      const ended = await run.ended
      bucket.fault = () => undefined
      return { ended, operations }
    },
  }
}

/** Every published file with its hash. */
async function contentOf(place: WritablePlace): Promise<string[]> {
  const keys = [...(await place.listAll()).keys()].sort()
  const read = async (key: string) =>
    `${key} ${sha256Of(((await place.read(key)) as ReadFile).content)}`
  return Promise.all(keys.map(read))
}

/** @returns the days, whole ones all of them, and what is not explained by an interruption */
async function stateOf(place: WritablePlace): Promise<{ days: string[]; faults: string[] }> {
  const report = await verifyArchive(place, { decode, log: { pauseMs: 0 } })
  const faults = findingsIn(report).filter(
    (one) => !isNote(one) && !WHILE_INTERRUPTED.includes(one.code),
  )
  return { days: report.days.map(({ day }) => day), faults: faults.map(({ code }) => code) }
}

/** All faults of as many operations of each kind, in random order; for CI only a few. */
function faultsOf(operations: Map<Fault['kind'], number>): Fault[] {
  const { uniform } = random(SEED)
  const all = [...operations].flatMap(([kind, length]) =>
    Array.from({ length }, (_, at) => ({ at, kind })),
  )
  const shuffled = all.map((fault) => ({ fault, order: uniform() }))
  shuffled.sort((a, b) => a.order - b.order)
  return shuffled.map(({ fault }) => fault).slice(0, MINUTES > 0 ? all.length : FEW)
}

test.each([
  ['folder', inFolder],
  ['bucket', inBucket],
])(
  'whichever operation of a publication in a %s fails, readers see whole days and the next run gives the same bytes',
  async (name, open) => {
    const dataDir = join(root, name)
    mkdirSync(dataDir)
    const setting = await open(dataDir)
    await begin(dataDir, setting)
    const { kinds, keep, reset, run } = setting
    const place = await setting.place()
    expect(await stateOf(place)).toEqual({ days: [FIRST], faults: [] })
    keep()
    const whole = await run(SECOND_NIGHT)
    expect(whole.ended).toMatchObject({ status: 0, stderr: '' })
    expect(await stateOf(place)).toEqual({ days: [FIRST, SECOND], faults: [] })
    const expected = await contentOf(place)
    expect(whole.operations).toBeGreaterThan(20)
    const end = AbortSignal.timeout(MINUTES * 60_000)
    const operations = new Map(kinds.map((kind) => [kind, whole.operations]))
    if (kinds.includes('EIO reading')) {
      reset()
      const { operations: reads } = await run(SECOND_NIGHT, { at: -1, kind: 'EIO reading' })
      operations.set('EIO reading', reads)
    }
    const faults = faultsOf(operations)
    const tried: Fault[] = []
    for (const fault of faults) {
      if (MINUTES > 0 && end.aborted) break
      tried.push(fault)
      const label = JSON.stringify(fault)
      reset()
      const { ended } = await run(SECOND_NIGHT, fault)
      expect([0, 1, 137], `${label} ${ended.stderr}`).toContain(ended.status)
      expect(ended.stderr, label).not.toMatch(/^\s+at /m)
      const { days, faults } = await stateOf(place)
      expect([days, faults], label).toEqual([days.length > 1 ? [FIRST, SECOND] : [FIRST], []])
      const next = (await run(SECOND_NIGHT)).ended
      expect(next, `${label} ${ended.stderr}`).toMatchObject({ status: 0 })
      expect(await contentOf(place), label).toEqual(expected)
    }
    if (MINUTES > 0)
      process.stdout.write(`${name}: ${tried.length} of ${faults.length} faults were tried\n`)
  },
  (MINUTES + 60) * 60_000,
)
