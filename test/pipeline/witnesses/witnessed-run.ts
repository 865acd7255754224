// A fixture, fresh for each test: an archive, three witnesses, and runs that ask them.
import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import { type StartTimer, startTimer } from '../../../archive/http/exchange.ts'
import { parseNote } from '../../../archive/log/note.ts'
import { parsePolicy } from '../../../archive/log/policy.ts'
import { readWitnessPolicy } from '../../../archive/log/policy-file.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import { withPipeline } from '../../../pipeline/run/session.ts'
import type { WitnessOutcome } from '../../../pipeline/witnesses/round.ts'
import { LOG_CHECKPOINT } from '../../../server/data/restored.ts'
import { readSetting } from '../../../server/database/settings/settings.ts'
import { type Day, makeDay, publish } from '../../archive/days.ts'
import { verified } from '../../archive/decoding.ts'
import { ORIGIN, testKey, vkeyOf } from '../../archive/signing.ts'
import { until } from '../../support/time.ts'
import { startWitness, type Witness } from '../../support/witness.ts'
import { openWriter } from '../../support/writers.ts'
import { configIn, contextAt, openWorkshop, UNHEARD, type Workshop } from '../workshop.ts'

/** The names of the keys that have signed a note. */
export const signersOf = (note: string) =>
  parseNote(Buffer.from(note)).signatures.map(({ name }) => name)

/** The signers of a checkpoint that all witnesses have signed. */
export const ALL = [ORIGIN, 'w.example/1', 'w.example/2', 'w.example/3']

/** The quorum that any witness makes. */
export const ANY = 'group q any'

/** The type of the size that a witness states. */
export const SIZE = { 'content-type': 'text/x.tlog.size' }

/** Lets a witness answer every request of a kind with this. */
export function answerWith(
  witness: Witness,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  witness.tamper = (request, response) => {
    if (request.method !== 'POST') return false
    response.writeHead(status, headers).end(body)
    return true
  }
}

/** What a witness does that refuses every request. */
export const refuse = (_: unknown, response: ServerResponse) => {
  response.writeHead(503).end()
  return true
}

interface Ran {
  outcomes: WitnessOutcome[]
  /** The names of the derived files that were written. */
  derived: string[]
}

export const statuses = ({ outcomes }: Ran) => outcomes.map(({ status }) => status)

interface RunOptions {
  rekey?: boolean
  timer?: StartTimer
  /** Whether anybody listens to the outcomes. */
  isHeard?: boolean
}

/** Only guards against a hang: on a busy machine an answer may take longer than a run waits. */
const patient: StartTimer = (_, expire) => startTimer(60_000, expire)

/** Registers the fixture for the tests of a file. */
export function witnessedRun() {
  let newest: Day | null
  const at = {
    workshop: undefined as unknown as Workshop,
    witnesses: [] as unknown as [Witness, Witness, Witness],
    /** The number of published days. */
    published: 0,
    path: (name: string): string => join(at.workshop.archiveDir, name),
    checkpoint: (): string => readFileSync(at.path('checkpoint'), 'utf8'),
    /** The checkpoint in the database. */
    kept: (): Promise<string | null> => readSetting(at.workshop.database.db, LOG_CHECKPOINT),

    /** The policy of the witnesses with these numbers. */
    policyText(numbers = [1, 2, 3], quorum = 'group q 2', log = ''): string {
      const lines = numbers.map((index) => {
        const { vkey, url } = at.witnesses[index - 1] as Witness
        return `witness w${index} ${vkey} ${url}/\n`
      })
      const names = numbers.map((index) => `w${index}`).join(' ')
      return `${log}${lines.join('')}${quorum} ${names}\nquorum q\n`
    },

    /** Publishes one more day without logging it, as a run would that was killed. */
    async publishDay(): Promise<string> {
      at.published += 1
      const day = `2026-11-${String(at.published).padStart(2, '0')}`
      newest = makeDay(day, newest)
      await publish(await openWriter(at.workshop.archiveDir, { create: true }), newest)
      return day
    },

    /** Runs the pipeline once. It logs and signs the published days. */
    async run(policy: string = at.policyText(), options: RunOptions = {}): Promise<Ran> {
      const ran: Ran = { outcomes: [], derived: [] }
      const config = configOf(at.workshop, policy)
      await withPipeline(config, contextOf(at.workshop, options, ran), async () => {})
      return ran
    },

    /** Runs the pipeline once, and lets the time of the first witness run out once the others have answered. */
    async runWithout(hold: (response: ServerResponse) => unknown): Promise<Ran> {
      const running = new Set<() => void>()
      const timer: StartTimer = (_, expire) => {
        running.add(expire)
        return { refresh() {}, stop: () => running.delete(expire) }
      }
      at.witnesses[0].tamper = (_, response) => {
        hold(response)
        return true
      }
      const ran = at.run(at.policyText(), { timer })
      // Each request has a timer of its own, next to that of its witness.
      await until(
        () => at.witnesses.every(({ requests }) => requests.length > 0) && running.size === 2,
      )
      for (const expire of [...running]) expire()
      return ran
    },

    /** Verifies the archive as a reader with a policy does. */
    verify: (policy: string): Promise<Report> =>
      verified(at.workshop.archiveDir, {
        quick: true,
        log: {
          witnesses: { policy: parsePolicy(Buffer.from(policy)), now: at.workshop.clock.now },
        },
      }),
  }
  beforeEach(async () => {
    at.workshop = await openWorkshop()
    at.published = 0
    newest = null
    const pem = testKey(1).export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(join(at.workshop.dir, 'signing.key'), pem)
    const start = (index: number) => startWitness(`w.example/${index}`, index + 1, vkeyOf(1))
    at.witnesses = [await start(1), await start(2), await start(3)]
    for (const witness of at.witnesses) witness.now = at.workshop.clock.now / 1000
  })
  return at
}

function configOf({ dir }: Workshop, policy: string) {
  const file = join(dir, 'policy')
  writeFileSync(file, policy)
  const witnessPolicy = policy === '' ? null : readWitnessPolicy(file)
  return { ...configIn(dir), defaultLogOrigin: ORIGIN, witnessPolicy }
}

/** @param ran gets what the run reports */
function contextOf(
  { clock }: Workshop,
  { rekey = false, timer = patient, isHeard = true }: RunOptions,
  ran: Ran,
) {
  return {
    ...contextAt(() => clock.now),
    rekey,
    witnessClient: { startTimer: timer },
    report: {
      ...UNHEARD,
      ...(isHeard && {
        witnesses: (outcomes: WitnessOutcome[]) => void ran.outcomes.push(...outcomes),
        derived: (names: string[]) => void ran.derived.push(...names),
      }),
    },
  }
}
