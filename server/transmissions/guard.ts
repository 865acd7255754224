// What every read of the archive has in common: it may be switched off, and its errors show no visitor a path.
import type { Logger } from 'pino'
import { ArchiveError } from '../../archive/errors.ts'
import { answerText } from '../http/answer.ts'
import type { Handler } from '../http/attach.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { noteDamage } from './listing.ts'

export interface GuardDeps {
  log: Logger
  /** @throws Problem archive_unavailable while the archive's reads are switched off */
  admitRead(): Promise<void>
}

const RETRY_S = '60'

/**
 * Reads the archive, where that is admitted.
 * @throws Problem archive_unavailable, also for a damaged archive
 */
export async function guard<T>(deps: GuardDeps, read: () => Promise<T>): Promise<T> {
  await deps.admitRead()
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    noteDamage(deps.log, error)
    const message =
      error.code === 'archive_unavailable'
        ? 'the archive cannot be read now'
        : 'this part of the archive is damaged, and waits for its repair'
    throw new Problem('archive_unavailable', message, { 'retry-after': RETRY_S })
  }
}

/** The same for what can do without the archive. @returns null while it is switched off, damaged or cannot be read */
export async function ifReadable<T>(deps: GuardDeps, read: () => Promise<T>): Promise<T | null> {
  try {
    return await guard(deps, read)
  } catch (error) {
    if (error instanceof Problem && error.code === 'archive_unavailable') return null
    throw error
  }
}

/** Makes handlers of what reads the archive. */
export interface Guarded {
  (handle: Handler): Handler
  /** JSON as the archive has it: nothing is composed here. */
  json(bytesFor: (call: Call) => Promise<Uint8Array>): Handler
  /** Text that programs read, as files of the archive have it. */
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
