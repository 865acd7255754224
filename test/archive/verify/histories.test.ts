// Random histories of a board: each operator who breaks the promise of a receipt is convicted by it, and no honest one
// is accused.
// Rules: FORMAT.md 23.3-23.4.
import { expect, test } from 'vitest'
import { badFile } from '../../../archive/base/errors.ts'
import { LOG_FILE } from '../../../archive/format/paths.ts'
import { parseCheckpoint } from '../../../archive/log/checkpoint.ts'
import { continues } from '../../../archive/log/continuity.ts'
import { parseLog } from '../../../archive/log/days.ts'
import type { FileState, Place } from '../../../archive/place/place.ts'
import { verifyReceipt } from '../../../archive/verify/receipt.ts'
import type { Judgement, Verdict } from '../../../archive/verify/receipt-verdict.ts'
import { random } from '../../support/random.ts'
import { runs } from '../../support/runs.ts'
import { ACTS, type Act, type History, makeHistory } from './histories.ts'

const MISSING = badFile('missing', 'is missing')

/** Returns a place with these files, by key. Changes of the map show. */
function memoryPlace(files: ReadonlyMap<string, Uint8Array>): Place {
  const stateOf = (content: Uint8Array): FileState => ({
    bytes: content.length,
    version: String(content.length),
  })
  return {
    name: 'memory',
    nameOf: (key) => key,
    pathOf: () => null,
    addressOf: () => null,
    folders: async () => [...new Set([...files.keys()].map((key) => key.split('/')[0] ?? ''))],
    async stat(key) {
      const content = files.get(key)
      return content ? stateOf(content) : null
    },
    async read(key) {
      const content = files.get(key)
      return content ? { content, version: stateOf(content).version } : MISSING
    },
    async open(key, start, end) {
      const content = files.get(key)
      return content ? new Blob([Buffer.from(content.subarray(start, end + 1))]).stream() : MISSING
    },
  }
}

/** Judges each message by its receipts, of which there may be two. */
async function judge({
  files,
  receipts,
  now,
}: Pick<History, 'files' | 'receipts' | 'now'>): Promise<Judgement[]> {
  const byId = Map.groupBy(receipts, ({ id }) => id)
  return Promise.all(
    [...byId.values()].map((ofId) =>
      verifyReceipt(
        memoryPlace(files),
        { receipts: ofId.map(({ note }) => note) },
        { now, pauseMs: 0, onStep() {} },
      ),
    ),
  )
}

/** The verdicts on an operator that convict it. */
const CONVICTING: readonly Verdict[] = ['broken', 'overdue', 'withheld']

/** Whether the log of a history continues the earlier checkpoint, where there is one. */
function isContinued({ files, earlier }: History): boolean {
  const log = parseLog(files.get(LOG_FILE) ?? Buffer.of())
  return earlier === null || continues(log, parseCheckpoint(earlier))
}

/** A third of the histories are honest. */
const actOf = (seed: number): Act | null => (seed % 3 === 0 ? null : ACTS[seed % ACTS.length]!)

test('every dishonest operator is convicted by a receipt, and no honest one is accused', async () => {
  const outcomes: string[] = []
  for (let seed = 0; seed < runs(140, 2_000); seed += 1) {
    const act = actOf(seed)
    const history = makeHistory(random(seed), act)
    const { target, receipts } = history
    const held = act === null ? receipts.slice(-3) : receipts.filter(({ id }) => id === target)
    const judgements = await judge({ ...history, receipts: held })
    const isConvicted =
      judgements.some(({ verdict }) => CONVICTING.includes(verdict)) || !isContinued(history)
    const verdicts = [...new Set(judgements.map(({ verdict }) => verdict))].sort()
    if (isConvicted !== (act !== null && act !== 'seal late'))
      outcomes.push(`${seed} ${act}: ${verdicts}`)
    if (act === null)
      expect(verdicts.filter((verdict) => !['kept', 'pending'].includes(verdict))).toEqual([])
  }
  expect(outcomes).toEqual([])
}, 1_200_000)

test('the files that are named as evidence convince whoever has nothing else', async () => {
  const named = new Set<string>()
  for (let seed = 0; seed < runs(30, 300); seed += 1) {
    const history = makeHistory(random(seed), actOf(seed))
    for (const [index, judgement] of (await judge(history)).entries()) {
      const { verdict, evidence } = judgement
      if (evidence.length === 0) continue
      const files = new Map(evidence.map((key) => [key, history.files.get(key) ?? Buffer.of()]))
      const receipts = history.receipts.filter(({ id }) => id === BigInt(index + 1))
      expect(await judge({ ...history, files, receipts })).toEqual([judgement])
      for (const key of evidence) named.add(`${verdict} ${key.replace(/^.*\//, '').slice(10)}`)
    }
  }
  expect([...named].some((name) => name.startsWith('broken .leaves'))).toBe(true)
  expect([...named].some((name) => name.startsWith('overdue'))).toBe(true)
})

test('the verdict on a message says how the promise was broken', async () => {
  const verdicts = new Map<Act, Set<Verdict>>()
  for (let seed = 0; seed < runs(4, 15) * ACTS.length; seed += 1) {
    const act = ACTS[seed % ACTS.length] as Act
    const found = await judge(makeHistory(random(seed), act))
    const known = verdicts.get(act) ?? new Set()
    for (const { verdict } of found) if (verdict !== 'kept') known.add(verdict)
    verdicts.set(act, known)
  }
  expect(Object.fromEntries([...verdicts].map(([act, found]) => [act, [...found].sort()]))).toEqual(
    {
      drop: ['broken'],
      swap: ['broken'],
      edit: ['broken'],
      salt: ['broken'],
      backdate: ['broken'],
      postpone: ['broken'],
      renumber: ['broken'],
      'drop all': ['broken'],
      'withhold leaves': ['withheld'],
      'never seal': ['overdue'],
      // The log shows it (23.3), but the promise of each receipt was kept in the end.
      'seal late': [],
      'issue twice': ['broken'],
      'reseal as a further leaf': ['broken'],
      'reseal with a new log': ['broken'],
    },
  )
})
