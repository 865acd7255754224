// Guards reads of the archive: they can be switched off, and their errors never show a path to a visitor.
import type { Logger } from 'pino'
import { isArchiveError } from '../../archive/errors.ts'
import { answerText } from '../http/answer.ts'
import type { Handler } from '../http/attach.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { logDamage } from './listing.ts'

export interface GuardDeps {
  log: Logger
  modes: {
    /** @throws Problem archive_unavailable while the archive's reads are switched off */
    admitRead(): Promise<void>
  }
}

const RETRY_S = '60'

/**
 * Reads the archive if reads are admitted.
 * @throws Problem archive_unavailable if they are not, or if the archive is missing or damaged
 */
export async function guard<T>(deps: GuardDeps, read: () => Promise<T>): Promise<T> {
  await deps.modes.admitRead()
  try {
    return await read()
  } catch (error) {
    if (!isArchiveError(error)) throw error
    logDamage(deps.log, error)
    const message =
      error.code === 'archive_unavailable'
        ? 'the archive cannot be read now'
        : 'this part of the archive is damaged and awaits repair'
    throw new Problem('archive_unavailable', message, { 'retry-after': RETRY_S })
  }
}

/** Like `guard`, but returns null while the archive is switched off, damaged or unreadable. */
export async function ifReadable<T>(deps: GuardDeps, read: () => Promise<T>): Promise<T | null> {
  try {
    return await guard(deps, read)
  } catch (error) {
    if (error instanceof Problem && error.code === 'archive_unavailable') return null
    throw error
  }
}

/** Wraps a handler that reads the archive. */
export interface Guarded {
  (handle: Handler): Handler
  /** Responds with JSON exactly as archived. */
  json(bytesFor: (call: Call) => Promise<Uint8Array>): Handler
  /** Responds with plain text. */
  text(textFor: (call: Call) => Promise<string | Uint8Array>): Handler
}

export function guardedBy(deps: GuardDeps): Guarded {
  const guarded =
    (handle: Handler): Handler =>
    (call, endpoint) =>
      guard(deps, async () => handle(call, endpoint))
  const sending =
    (kind: 'json' | 'text') =>
    (load: (call: Call) => Promise<string | Uint8Array>): Handler =>
      guarded(async (call, { cache }) => answerText(call, kind, await load(call), cache))
  return Object.assign(guarded, { json: sending('json'), text: sending('text') })
}
