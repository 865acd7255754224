// Histories of real boards, whose servers are killed and whose clocks are stepped: no honest operator is accused by a
// receipt, and one that seals days again is convicted. Other dishonest acts are in archive/verify/histories.ts.
// Rules: FORMAT.md 23.3-23.4; API.md 4.8.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { decode } from '../../archive/decoding.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment } from '../../support/programs.ts'
import { type Random, random } from '../../support/random.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { type Kept, PromisedBoard } from './promised-board.ts'

const CLI = join(ROOT, 'pipeline/commands/verify.ts')
const TIMEOUT_MS = 300_000

/** Numbers of histories: of honest operators, and of days that are sealed again. */
const [HONEST, RESEALED] = ON_POSTGRES ? [4, 2] : [8, 3]

async function open(seed: number): Promise<{ board: PromisedBoard; uniform: Random['uniform'] }> {
  const source = random(seed)
  const board = await PromisedBoard.open(source)
  released(() => board.close())
  return { board, uniform: source.uniform }
}

/** Lets a day pass on an honest board. @param steps whether the clock may be stepped */
async function liveDay(
  board: PromisedBoard,
  uniform: Random['uniform'],
  steps: boolean,
): Promise<void> {
  await board.post(1)
  for (let i = 0; i < 2; i += 1) {
    const chance = uniform()
    if (chance < 0.5) await board.post(3)
    else if (chance < 0.7) await board.kill()
    else if (steps) await board.step()
  }
}

const verify = (board: PromisedBoard, since: Uint8Array) =>
  verifyArchive(folderPlace(board.archiveDir), { decode, log: { pauseMs: 0, since } })

/** Judges a receipt as somebody who has nothing but the evidence. */
function judgeElsewhere(
  evidence: string,
  { id }: Kept,
): { verdict: string; status: number | null } {
  const elsewhere = temporaryFolder()
  cpSync(evidence, elsewhere, { recursive: true })
  const args = ['--json', '--receipt', join(elsewhere, `${id}.receipt`), elsewhere]
  const options = { cwd: elsewhere, env: childEnvironment(), encoding: 'utf8' } as const
  const { stdout, status } = spawnSync(process.execPath, [CLI, ...args], options)
  return { verdict: JSON.parse(stdout).verdict, status }
}

describe('an honest operator', () => {
  test.each(Array.from({ length: HONEST }, (_, seed) => seed))(
    'is accused by no receipt, although its server is killed and its clock stepped (history %i)',
    async (seed) => {
      const { board, uniform } = await open(seed)
      await liveDay(board, uniform, false)
      await board.endDay()
      const since = board.checkpoint
      for (const steps of [true, true, false]) {
        await liveDay(board, uniform, steps)
        await board.endDay()
      }
      await board.post(2)
      expect(await verify(board, since)).toMatchObject({ ok: true })
      const verdicts = new Map<string, number>()
      for (const kept of board.receipts) {
        const { verdict } = await board.judgeHere(kept)
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      }
      expect([...verdicts.keys()].sort()).toEqual(['kept', 'pending'])
      const evidence = join(temporaryFolder(), 'none')
      const [first] = board.receipts as [Kept]
      expect((await board.judgeServed(first, evidence)).verdict).toBe('kept')
      expect(existsSync(evidence)).toBe(false)
    },
    TIMEOUT_MS,
  )
})

describe('a dishonest operator', () => {
  test.each(Array.from({ length: RESEALED }, (_, turn) => 200 + turn))(
    'who seals the days again with the key is convicted by a receipt, and by an older checkpoint (history %i)',
    async (seed) => {
      const { board, uniform } = await open(seed)
      for (let day = 0; day < 2; day += 1) {
        await liveDay(board, uniform, true)
        await board.endDay()
      }
      const since = board.checkpoint
      await liveDay(board, uniform, true)
      const target = await board.reseal()
      await board.endDay()
      const evidence = temporaryFolder()
      expect((await board.judgeServed(target, evidence)).verdict).toBe('broken')
      const { ok, findings } = await verify(board, since)
      expect([ok, findings.map(({ code }) => code)]).toEqual([false, ['log_rewritten']])
      expect(await verify(board, board.checkpoint)).toMatchObject({ ok: true })
      await board.close()
      expect(judgeElsewhere(evidence, target)).toEqual({ verdict: 'broken', status: 1 })
    },
    TIMEOUT_MS,
  )
})
