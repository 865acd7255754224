// Kills a publishing process at many moments with SIGKILL, and verifies the archive each time.
// Rules: FORMAT.md 2.3; WRITING.md 1.4.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MEDIA_KINDS } from '../../../archive/format/media.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { isNote } from '../../../archive/verify/findings.ts'
import { temporaryFolder } from '../../support/release.ts'
import { elapse } from '../../support/time.ts'
import { makeDay } from '../days.ts'
import { decode } from '../decoding.ts'

const DAYS = Array.from({ length: 8 }, (_, index) => `2026-11-${10 + index}`)
const KILLS = 20
/** The latest moment of a kill, when a run on a busy machine has usually ended. */
const LONGEST_MS = 400
/** The golden ratio's fraction, whose multiples modulo 1 spread the moments evenly. */
const GOLDEN = 0.618_034

const root = temporaryFolder()
for (const day of DAYS) {
  const { media } = makeDay(day, null)
  for (const kind of MEDIA_KINDS) writeFileSync(join(root, `${day}.${kind}`), media[kind])
}

/** Runs the publisher, and kills it `ms` after it begins to write. */
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

/** Reads every visible day completely, repeatedly until the signal aborts. */
async function readAll(dir: string, signal: AbortSignal): Promise<void> {
  const reader = folderReader(dir)
  while (!signal.aborted) {
    for (const day of await reader.days().catch(() => [])) {
      expect(await reader.snapshot(day)).not.toBeNull()
      const media = (await reader.manifest(day))?.manifest.media
      for (const medium of Object.values(media ?? {}))
        if (medium.available) expect(await reader.openMedia(day, medium.filename)).not.toBeNull()
    }
    await elapse(5, 'let the publisher run')
  }
}

/** Verifies the archive in its current state, and fails the test on any fault. */
async function wholeDays(dir: string, label: string): Promise<{ days: string[]; left: boolean }> {
  const { days, findings } = await verifyArchive(folderPlace(dir), { decode })
  const all = [...findings, ...days.flatMap((day) => day.findings)].filter((f) => !isNote(f))
  const faults = all.filter(({ code }) => code !== 'no_days')
  expect(faults, label).toEqual([])
  // No gaps, because a day is never published before the one that it names.
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
  // Otherwise no kill came while a day was being written, and nothing was tested.
  expect(halfway).toBeGreaterThan(3)
  expect(await publishFor(dir(), 120_000)).toBe('finished')
  expect(await wholeDays(dir(), 'at the end')).toEqual({ days: DAYS, left: false })
}, 300_000)
