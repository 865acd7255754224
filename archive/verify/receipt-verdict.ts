// The check of one message with its receipt: the steps in which it is reported, the error that ends it, and the verdict on
// the promise (FORMAT.md 25.4). Pure.
import type { BadFile } from '../base/errors.ts'
import type { ReadFile } from '../place/place.ts'
import { brokenSentence, withheldSentence } from './sentences.ts'

/** One step and its result. The first failed step is the last. */
export interface Step {
  step: string
  ok: boolean
  message: string
}

/** Reports a step that has succeeded. */
export type Done = (step: string, message: string) => void

/** The error of a failed step. */
export class Refuted extends Error {
  /** What it means to whoever has the receipt, as a sentence. */
  readonly sentence: string | undefined

  constructor(message: string, sentence?: string) {
    super(message)
    this.sentence = sentence
  }
}

/** @throws Refuted unless it is so */
export function demand(isSo: boolean, message: string, sentence?: string): asserts isSo {
  if (!isSo) throw new Refuted(message, sentence)
}

/** @throws Refuted naming the file, if it cannot be read */
export function contentOf(file: ReadFile | BadFile, name: string): Uint8Array {
  if ('problem' in file) throw new Refuted(`${name}: ${file.problem.message}`)
  return file.content
}

/**
 * What became of the promise. `kept`: the message is among the records of its day. `pending`: its day is not over, or its
 * deadline not reached. `late`: only the clock says that it is overdue. `overdue`: the log shows it. `withheld`: the day
 * is sealed, and its leaves are not to be had. `broken`: the day was sealed without this leaf, or two receipts of one id
 * contradict each other. `untimely`: its day does not come in time. `refuted`: there is no valid receipt, or no archive
 * to compare it with.
 */
export type Verdict =
  | 'kept'
  | 'pending'
  | 'late'
  | 'overdue'
  | 'withheld'
  | 'broken'
  | 'untimely'
  | 'refuted'

export interface Judgement {
  verdict: Verdict
  /** The verdict in a sentence that a person understands. */
  sentence: string
  /**
   * The files of the archive that show it, besides the receipts, if it is `overdue` or `broken`. `key` is not among them if
   * the archive has none, and the caller has given the keys.
   */
  evidence: string[]
}

/** The end of the steps, with the verdict. */
export interface End extends Judgement {
  /** What exactly was found. */
  message: string
}

/** @param what as in `brokenSentence` */
export function broken(what: string, message: string, evidence: string[]): End {
  return { verdict: 'broken', sentence: brokenSentence(what), evidence, message }
}

/** @throws Refuted if the file exists, as far as is known, but could not be read */
export function lacking(day: string, name: string, { problem: { code, message } }: BadFile): End {
  demand(code === 'missing' || code === 'leaves_differ', `${name}: ${message}`)
  return withheld(day, `${name}: ${message}`)
}

export function withheld(day: string, reason: string): End {
  const message = `the day is sealed, but ${reason}`
  return { verdict: 'withheld', sentence: withheldSentence(day), evidence: [], message }
}
