// Lets every write between a manifest and its signed checkpoint fail or be the last before a crash, and verifies that
// the next run finishes the log.
// Rules: WRITING.md 1.6.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { isNote } from '../../../archive/verify/findings.ts'
import type { DayLog } from '../../../archive/writing/day-log.ts'
import { type Fault, faultyDisk } from '../../support/faulty-disk.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeDay, publish } from '../days.ts'
import { decode } from '../decoding.ts'
import { type MemoryKeeper, memoryKeeper, openTestLog } from '../signing.ts'

const first = makeDay('2026-11-17', null)
const second = makeDay('2026-11-18', first)
const third = makeDay('2026-11-19', second)
const DAYS = [first, second, third].map(({ snapshot }) => snapshot.day)

const WORKS = [
  { name: 'the start of a log', logged: 0 },
  { name: 'another day', logged: 2 },
  { name: 'a new key', logged: 3, keys: [2, 1] },
]

const root = temporaryFolder()

/** Logs all days, as a run does after sealing. */
async function finish(log: DayLog): Promise<void> {
  expect(await log.append(DAYS)).toEqual([])
}

const verify = (dir: string) => verifyArchive(folderPlace(dir), { decode, log: { pauseMs: 0 } })

describe.each(WORKS)('$name', ({ name, logged, keys = [1] }) => {
  let before: string
  let kept: string | null
  let writes = 0

  beforeAll(async () => {
    before = join(root, name)
    const writer = await openWriter(before, { create: true })
    const keeper = memoryKeeper()
    for (const [index, day] of [first, second, third].entries()) {
      await publish(writer, day)
      if (index >= logged) continue
      const log = await openTestLog(before, { keeper })
      await log.append([day.snapshot.day])
    }
    kept = keeper.kept
    writes = (await attempt(undefined)).writes
  })

  /** Runs once with a fault, on a copy of the archive. */
  async function attempt(
    fault: Fault | undefined,
    keeping: 'before' | 'after' | 'never' = 'never',
  ) {
    const dir = mkdtempSync(join(root, 'run-'))
    cpSync(before, dir, { recursive: true })
    const { disk, writes } = faultyDisk(fault)
    const keeper: MemoryKeeper = { ...memoryKeeper(), kept }
    const replace = keeper.replace
    if (keeping !== 'never')
      keeper.replace = async function (this: MemoryKeeper, from, to) {
        if (keeping === 'after') await replace.call(this, from, to)
        throw new Error('crashed')
      }
    await openTestLog(dir, { keeper, disk, keys })
      .then(finish)
      .catch((error) => {
        if (!fault && keeping === 'never') throw error
      })
    keeper.replace = replace
    return { dir, keeper, writes: writes.length }
  }

  /** Checks that the next run, on a working disk, completes the log. */
  async function recovers(dir: string, keeper: MemoryKeeper): Promise<void> {
    const { findings, days } = await verify(dir)
    const all = [...findings, ...days.flatMap((day) => day.findings)]
    const codes = all.filter((finding) => !isNote(finding)).map(({ code }) => code)
    const explained = ['log_missing', 'log_unsigned', 'day_not_logged']
    expect(codes.filter((code) => !explained.includes(code))).toEqual([])
    await finish(await openTestLog(dir, { keeper, keys }))
    expect(await verify(dir)).toMatchObject({ ok: true, findings: [], log: { size: 3 } })
    rmSync(dir, { recursive: true })
  }

  it('the next run finishes the log, whichever write failed or was the last', async () => {
    expect(writes).toBeGreaterThan(3)
    for (let at = 0; at < writes; at += 1)
      for (const moment of ['before', 'halfway', 'after'] as const)
        for (const kind of ['crash', 'ENOSPC'] as const) {
          const { dir, keeper } = await attempt({ at, moment, kind })
          await recovers(dir, keeper)
        }
  }, 300_000)

  it.each(['before', 'after'] as const)(
    'the next run finishes the log after a kill %s the database write',
    async (when) => {
      const { dir, keeper } = await attempt(undefined, when)
      await recovers(dir, keeper)
    },
  )
})
