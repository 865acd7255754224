// The steps in which the check of one message is reported, and the error that ends it.
import type { BadFile } from '../base/errors.ts'
import type { ReadFile } from '../place/place.ts'

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
