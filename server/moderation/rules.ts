// The targets that an operator can hide and show, and how they are named (API.md 8.1).
import { requirePath } from '../board/rules.ts'
import type { RecordKind } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'

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

/**
 * @param parameter the name of the text in messages
 * @throws Problem if the text is not a valid name for a record of this kind
 */
export function parseTarget(
  kind: RecordKind,
  text: string,
  parameter = kind === 'directory' ? 'path' : 'id',
): Target {
  if (kind !== 'directory') return { kind, id: readId(text, parameter) }
  requirePath(text, parameter)
  return { kind, path: text }
}
