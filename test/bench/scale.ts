// Compares boards of 5,000,000 messages, and with 900,000 hidden ones, with smaller ones: pages and counters of a day.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { messagesAfter } from '../../server/board/queries.ts'
import { countDay } from '../../server/data/counts.ts'
import type { Database } from '../../server/database/database.ts'
import { openExisting } from '../support/database.ts'
import { random } from '../support/random.ts'
import {
  type BoardSize,
  DAY_MS,
  MESSAGES_PER_DAY,
  MILLION,
  makeBoard,
  YESTERDAY,
} from './boards.ts'
import { ownCpu } from './cpu.ts'
import { compare, getting, ratioRow, scripted } from './load.ts'
import type { Part } from './main.ts'
import { median, type Row, ratios } from './report.ts'
import type { Stage } from './servers.ts'

const [LARGE, SMALL] = [5_000_000, 10_000]
const HIDDEN = 900_000
const LIMIT = 50
/** Pages of one measurement. */
const PAGES = 100
const PAIRS = 15

export const benchScale: Part = async (stage) => {
  const make = async (size: BoardSize): Promise<string> => {
    const dataDir = mkdtempSync(join(stage.folder, 'board-'))
    await makeBoard(join(dataDir, 'daysignal.sqlite'), size)
    return dataDir
  }
  const large = await make({ messages: LARGE })
  const small = await make({ messages: SMALL })
  const hidden = await make({ messages: MILLION, hidden: HIDDEN })
  // Its days are like those of the large board. The days of boardOfMillion are not: it has a big directory.
  const middle = await make({ messages: MILLION })
  const open = (dataDir: string) => openExisting(join(dataDir, 'daysignal.sqlite'))
  const [ofLarge, ofMiddle] = [await open(large), await open(middle)]
  return [
    ...(await pageRows(ofLarge, await open(small))),
    await hiddenRow(await open(hidden)),
    ...(await counterRows(ofLarge, ofMiddle)),
    await requestRow(stage, large, middle),
  ]
}

/** Compares requests for pages of two boards. */
async function requestRow(stage: Stage, large: string, middle: string): Promise<Row> {
  const load = (messages: number) => {
    const path = `'/api/v1/messages?limit=${LIMIT}&after=' .. math.random(0, ${messages - LIMIT})`
    return scripted(stage.folder, 16, getting(path))
  }
  const ofLarge = await stage.startOurs(large)
  const ofMiddle = await stage.startOurs(middle)
  return ratioRow(
    `request for a page of ${LIMIT} anywhere in 5,000,000 messages / 1,000,000`,
    'CPU',
    { most: 1.2 },
    compare([ofLarge, load(LARGE)], [ofMiddle, load(MILLION)]),
  )
}

async function pageRows(large: Database, small: Database): Promise<Row[]> {
  const tail = (database: Database, size: number) => () =>
    readPages(database, Array(PAGES).fill(size - LIMIT))
  const anywhere = (database: Database, size: number) => {
    const { below } = random(1)
    const cursors = Array.from({ length: PAGES }, () => below(size - LIMIT))
    return () => readPages(database, cursors)
  }
  const label = `page of ${LIMIT} at 5,000,000 rows / 10,000`
  return [
    await pairRow(`${label}, tail`, 1.3, tail(large, LARGE), tail(small, SMALL)),
    await pairRow(`${label}, random, warm`, 1.6, anywhere(large, LARGE), anywhere(small, SMALL)),
  ]
}

const hiddenRow = (database: Database): Promise<Row> =>
  pairRow(
    'page across 900,000 hidden rows / normal',
    1.2,
    () => readPages(database, Array(PAGES).fill(0)),
    () => readPages(database, Array(PAGES).fill(HIDDEN + LIMIT)),
  )

async function counterRows(large: Database, middle: Database): Promise<Row[]> {
  const count = (database: Database) => async () => {
    const { counts } = await countDay(database.db, { from: YESTERDAY, to: YESTERDAY + DAY_MS })
    if (counts.messages !== BigInt(MESSAGES_PER_DAY))
      throw new Error(`counted ${counts.messages} messages`)
  }
  const label = 'counters of a day of 50,000 messages'
  const { ours, others } = await inTurns(count(large), count(middle))
  return [
    {
      label: `${label} at 5,000,000 / 1,000,000`,
      values: ratios(ours, others),
      goal: { most: 1.1 },
    },
    { label: `${label} at 5,000,000 [ms]`, values: ours, goal: { most: 30 } },
  ]
}

async function readPages(database: Database, cursors: readonly number[]): Promise<void> {
  for (const after of cursors) {
    const messages = await messagesAfter(database.db, { after: BigInt(after), limit: LIMIT })
    if (messages.length !== LIMIT) throw new Error(`a page of ${messages.length}`)
  }
}

async function pairRow(
  label: string,
  most: number,
  work: () => Promise<void>,
  other: () => Promise<void>,
): Promise<Row> {
  const { ours, others } = await inTurns(work, other)
  const detail = `${(median(ours) / PAGES).toFixed(3)} ms vs ${(median(others) / PAGES).toFixed(3)} ms`
  return { label, values: ratios(ours, others), goal: { most }, detail }
}

/** Measures the CPU time of both [ms] in turns, A B B A, after a warm-up. */
async function inTurns(
  work: () => Promise<void>,
  other: () => Promise<void>,
): Promise<{ ours: number[]; others: number[] }> {
  await work()
  await other()
  const [ours, others] = [[] as number[], [] as number[]]
  const measure = async (run: () => Promise<void>, into: number[]) => {
    const before = ownCpu()
    await run()
    into.push((ownCpu() - before) / 1000)
  }
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) await measure(work, ours)
    await measure(other, others)
    if (pair % 2 === 1) await measure(work, ours)
  }
  return { ours, others }
}
