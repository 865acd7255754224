// What an operator may hide and show, and how a target is named (API.md 8.1).
import { z } from 'zod'
import { requirePath } from '../board/rules.ts'
import { readId } from '../wire/query.ts'
import { reason } from '../wire/text.ts'

export const TARGET_KINDS = ['message', 'directory', 'investigation'] as const
export type TargetKind = (typeof TARGET_KINDS)[number]

export type Moderation = {
  act: 'hide' | 'show'
  /** Kept in the log. */
  reason: string
} & Target

/** A directory is named by its path, the others by their ids. */
export type Target =
  | { kind: 'directory'; path: string }
  | { kind: 'message' | 'investigation'; id: bigint }

/** What the log keeps of a target. */
export const nameOf = (target: Target): string =>
  target.kind === 'directory' ? target.path : String(target.id)

/** @throws Problem when the text cannot name a record of this kind */
export function readTarget(kind: TargetKind, text: string): Target {
  if (kind !== 'directory') return { kind, id: readId(text) }
  requirePath(text, 'path')
  return { kind, path: text }
}

/** Why an action was taken; kept in the ledger. */
export const reasonInput = z.strictObject({ reason })
