// The targets that an operator can hide and show, and how they are named (API.md 8.1).
import { requirePath } from '../board/rules.ts'
import { readId } from '../wire/query.ts'

export const TARGET_KINDS = ['message', 'directory', 'investigation'] as const
export type TargetKind = (typeof TARGET_KINDS)[number]

export type Moderation = {
  act: 'hide' | 'show'
  /** Recorded in the moderation log. */
  reason: string
} & Target

/** A directory is named by its path, the others by their ids. */
export type Target =
  | { kind: 'directory'; path: string }
  | { kind: 'message' | 'investigation'; id: bigint }

/** Returns the name of a target in the moderation log. */
export const nameOf = (target: Target): string =>
  target.kind === 'directory' ? target.path : String(target.id)

/** @throws Problem if the text is not a valid name for a record of this kind */
export function parseTarget(kind: TargetKind, text: string): Target {
  if (kind !== 'directory') return { kind, id: readId(text) }
  requirePath(text, 'path')
  return { kind, path: text }
}
