// Asks the witnesses of the log for their cosignatures, and stops signing when one of them shows a fork (WRITING.md 5).
import { orNull } from '../../archive/base/errors.ts'
import { rfc3339 } from '../../archive/format/scalars.ts'
import type { ClientOptions } from '../../archive/http/client.ts'
import { openCheckpoint, parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { continues } from '../../archive/log/continuity.ts'
import { cosignaturesIn } from '../../archive/log/cosignature.ts'
import { dayLeaf } from '../../archive/log/days.ts'
import { parseNote } from '../../archive/log/note.ts'
import type { AskedWitness, WitnessPolicy } from '../../archive/log/policy-file.ts'
import type { DayLog } from '../../archive/writing/day-log.ts'
import { LOG_CHECKPOINT } from '../../server/data/restored.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import {
  type Claim,
  readSetting,
  type WitnessMemory,
  witnessMemory,
} from '../../server/database/settings/settings.ts'
import type { Clock } from '../../server/system/system.ts'
import type { PipelineConfig } from '../config.ts'
import { askWitness, type Reply } from './ask.ts'

/** What a witness has answered in a round, for the operator. */
export interface WitnessOutcome {
  /** Its name in the policy. */
  witness: string
  status: 'signed' | 'failed' | 'claims'
  message: string
}

export interface WitnessContext {
  database: Database
  log: DayLog
  policy: WitnessPolicy
  clock: Pick<Clock, 'now'>
  signal: AbortSignal
  client?: ClientOptions | undefined
}

/** The witnesses of a log during a run. */
export class Witnesses {
  readonly #context: WitnessContext

  constructor(context: WitnessContext) {
    this.#context = context
  }

  /**
   * Returns why nothing more may be signed: a witness has shown another history that a key of this log has signed, or so
   * many claim to know one that the others are no quorum. Asks these witnesses again first.
   * @returns null if the log may be signed
   */
  async reasonToStop(): Promise<string | null> {
    if ((await this.reason()) === null) return null
    await this.ask()
    return this.reason()
  }

  /** The witnesses that have an address, and whose cosignature of the newest checkpoint is missing. */
  missing(): readonly AskedWitness[] {
    const { log, policy } = this.#context
    return log.checkpoint ? witnessesToAsk(log.checkpoint.note, policy) : []
  }

  /**
   * Asks all missing witnesses at once, adds what they have signed to the checkpoint, and remembers their answers.
   * @throws the reason of the signal, when it is aborted
   */
  async ask(): Promise<WitnessOutcome[]> {
    const { database, log, clock, signal, client } = this.#context
    const { checkpoint } = log
    const asked = this.missing()
    if (!checkpoint || asked.length === 0) return []
    const memory = await witnessMemory.read(database.db)
    const { note, origin, size } = checkpoint
    const leaves = log.entries.slice(0, size).map(dayLeaf)
    const submission = { note, origin, leaves, now: clock.now() }
    const replies = await Promise.all(
      asked.map((witness) =>
        askWitness(witness, submission, memory.sizes[keyName(witness)] ?? 0, { ...client, signal }),
      ),
    )
    const lines = replies.flatMap((reply) =>
      reply.kind === 'signed' ? [reply.cosignature.line] : [],
    )
    if (lines.length > 0) await log.cosign(note + lines.join(''))
    // Another run may have continued the log meanwhile, and a witness may know that.
    if (replies.some(({ kind }) => kind === 'claims')) await log.reread()
    const answers = asked.map((witness, index) => ({ witness, reply: replies[index] as Reply }))
    await database.write((tx) => witnessMemory.write(tx, this.#remembered(memory, answers, size)))
    return answers.map(({ witness, reply }) => outcomeOf(witness, reply))
  }

  #remembered(
    { sizes, claims }: WitnessMemory,
    answers: readonly { witness: AskedWitness; reply: Reply }[],
    size: number,
  ): WitnessMemory {
    const names = new Set(this.#context.policy.witnesses.map(keyName))
    const of = <T>(record: Record<string, T>) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
    const memory = { sizes: of(sizes), claims: of(claims) }
    for (const { witness, reply } of answers) {
      const name = keyName(witness)
      if (reply.kind === 'signed') {
        memory.sizes[name] = size
        delete memory.claims[name]
      } else if (reply.kind === 'claims')
        memory.claims[name] = this.#claimOf(witness, reply, memory.claims[name])
    }
    return memory
  }

  /** @param earlier what the witness has claimed before, whose evidence stays */
  #claimOf(
    { name }: AskedWitness,
    { message, shown }: Extract<Reply, { kind: 'claims' }>,
    earlier: Claim | undefined,
  ): Claim {
    const fork = shown !== null && this.#isFork(shown) ? shown : (earlier?.fork ?? null)
    return { name, at: earlier?.at ?? this.#context.clock.now(), message, fork }
  }

  /** Whether a key of this log has signed a checkpoint that this log does not continue. */
  #isFork(note: string): boolean {
    const { log } = this.#context
    const origin = log.checkpoint?.origin
    const theirs = orNull(() => openCheckpoint(Buffer.from(note), log.keys))
    return theirs !== null && theirs.origin === origin && !continues(log.entries, theirs)
  }

  /** The same, without asking. */
  async reason(): Promise<string | null> {
    const { policy, database } = this.#context
    const { claims } = await witnessMemory.read(database.db)
    // One that has signed this checkpoint has claimed otherwise before that log was restored.
    const claiming = this.missing().filter((witness) => claims[keyName(witness)])
    for (const witness of claiming) {
      const fork = claims[keyName(witness)]?.fork ?? null
      if (fork === null || !this.#isFork(fork)) continue
      const { size } = parseCheckpoint(Buffer.from(fork))
      return `witness ${witness.name} shows a signed checkpoint of ${size} leaves that this log does not continue; nothing is signed until that log is restored, or the witness is taken out of WITNESS_POLICY`
    }
    const able = policy.witnesses.filter(({ key }) => key.isVerifiable)
    const others = able.filter(({ key }) => !claiming.some((one) => one.key === key))
    if (claiming.length === 0 || policy.isQuorum(others) || !policy.isQuorum(able)) return null
    const names = claiming.map(({ name }) => name).join(', ')
    return `without the witnesses that claim to know another log (${names}) there is no quorum; nothing is signed until that log is restored, or they are taken out of WITNESS_POLICY`
  }
}

/** The witnesses with an address that have not signed a checkpoint. */
function witnessesToAsk(note: string, { asked, keys }: WitnessPolicy): AskedWitness[] {
  const signed = orNull(() => cosignaturesIn(parseNote(Buffer.from(note)), keys), 'wrong_signature')
  return asked.filter(({ key }) => !signed?.some(({ cosigner }) => cosigner === key))
}

/** The name and id of a witness's key. */
function keyName({ key }: { key: { name: string; id: string } }): string {
  return `${key.name}+${key.id}`
}

function outcomeOf({ name }: AskedWitness, reply: Reply): WitnessOutcome {
  if (reply.kind !== 'signed') return { witness: name, status: reply.kind, message: reply.message }
  const message = `signed at ${rfc3339(reply.cosignature.time * 1000)}`
  return { witness: name, status: 'signed', message }
}

/**
 * Whether a witness has not signed the newest checkpoint of the database: found out cheaply, since a run is started every hour.
 * @throws Error with one line
 */
export async function hasWitnessToAsk(
  { database: location, dataDir }: PipelineConfig,
  policy: WitnessPolicy,
  clock: Clock,
): Promise<boolean> {
  const database = await openDatabase(location, {
    clock,
    create: false,
    dataDir,
    onlyReads: true,
  })
  try {
    const note = await readSetting(database.db, LOG_CHECKPOINT)
    return note !== null && witnessesToAsk(note, policy).length > 0
  } finally {
    await database.close()
  }
}
