// A process that publishes is killed with SIGKILL at many moments; verify is the judge each time.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MEDIA_KINDS } from '../../../archive/format/paths.ts'
import { openReader } from '../../../archive/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { isNote } from '../../../archive/verify/findings.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { elapse } from '../../support/time.ts'
import { makeDay } from '../days.ts'
import { decode } from '../decoding.ts'

const DAYS = Array.from({ length: 8 }, (_, index) => `2026-11-${10 + index}`)
const KILLS = 20
/** Longer than a run that is not killed, on a machine that has other things to do. */
const LONGEST_MS = 400
/** Spreads the moments evenly, however many there are. */
const GOLDEN = 0.618_034

let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-kill-'))
  for (const day of DAYS) {
    const { media } = makeDay(day, null)
    for (const kind of MEDIA_KINDS) writeFileSync(join(root, `${day}.${kind}`), media[kind])
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs the publisher, and kills it so long after it begins to write. */
async function publishFor(dir: string, ms: number): Promise<'killed' | 'finished'> {
  const script = join(import.meta.dirname, 'publishing.ts')
  const child = spawn(process.execPath, [script, dir, root, ...DAYS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<'killed' | 'finished'>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve('killed')
      else if (code === 0) resolve('finished')
      else reject(new Error(`the publisher ended with ${code}`))
    })
  })
  child.stdout.once('data', () => {
    void elapse(ms, 'each kill comes at another moment').then(() => child.kill('SIGKILL'))
  })
  return ended
}

/** Reads every day that a reader sees, whole; again and again until told to stop. */
async function readAll(dir: string, signal: AbortSignal): Promise<void> {
  const reader = openReader(dir)
  while (!signal.aborted) {
    for (const day of await reader.days().catch(() => [])) {
      expect(await reader.snapshot(day)).not.toBeNull()
      const media = (await reader.manifest(day))?.manifest.media
      for (const medium of Object.values(media ?? {}))
        if (medium.available) expect(await reader.openMedia(day, medium.filename)).not.toBeNull()
    }
    await elapse(5, 'the publisher gets its turn')
  }
}

/** Verifies what is there now; a fault of any kind fails the test. */
async function wholeDays(dir: string, label: string): Promise<{ days: string[]; left: boolean }> {
  const { days, findings } = await verifyArchive(folderSource(dir), { decode })
  const all = [...findings, ...days.flatMap((day) => day.findings)].filter((f) => !isNote(f))
  const faults = all.filter(({ code }) => code !== 'no_days')
  expect(faults, label).toEqual([])
  // Ascending without a gap: a day is never published before the one that it names.
  const names = days.map(({ day }) => day)
  expect(names, label).toEqual(DAYS.slice(0, names.length))
  return { days: names, left: findings.some(isNote) }
}

it('a kill leaves only complete days, which readers see complete, and the next run completes the rest', async () => {
  let archive = 0
  let halfway = 0
  const dir = () => join(root, `archive-${archive}`)
  for (let kill = 1; kill <= KILLS; kill++) {
    const over = new AbortController()
    const reading = readAll(dir(), over.signal)
    const ms = Math.round(((kill * GOLDEN) % 1) * LONGEST_MS)
    const end = await publishFor(dir(), ms)
    over.abort()
    await reading
    const { days, left } = await wholeDays(dir(), `kill ${kill} after ${ms} ms`)
    if (left) halfway += 1
    if (end === 'finished') {
      expect(days).toEqual(DAYS)
      archive += 1
    }
  }
  // Else the moments did not fall into the writing of a day, and nothing was tried.
  expect(halfway).toBeGreaterThan(3)
  expect(await publishFor(dir(), 120_000)).toBe('finished')
  expect(await wholeDays(dir(), 'in the end')).toEqual({ days: DAYS, left: false })
}, 300_000)
