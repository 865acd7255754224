// The verdict on the promise of a receipt (FORMAT.md 25.4). Pure.
import type { Problem } from './file.ts'
import { demand } from './steps.ts'

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
  /**
   * The files of the archive that show it, besides the receipts, if it is `overdue` or `broken`. `key` is not among them if
   * the archive has none, and the caller has given the keys.
   */
  evidence: string[]
}

/** The end of the steps, with the verdict. */
export interface End extends Judgement {
  message: string
}

export function broken(message: string, evidence: string[]): End {
  return { verdict: 'broken', evidence, message }
}

/** @throws Refuted if the file exists, as far as is known, but could not be read */
export function lacking(name: string, { problem: { code, message } }: Problem): End {
  demand(code === 'missing' || code === 'leaves_differ', `${name}: ${message}`)
  return withheld(`${name}: ${message}`)
}

export function withheld(message: string): End {
  return { verdict: 'withheld', evidence: [], message: `the day is sealed, but ${message}` }
}
