// Compares the last sealed day with the database after startup, without blocking requests (COMMANDS.md 6.6).
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isArchiveError } from '../../archive/base/errors.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { differingRecords } from '../../archive/log/sealed-records.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Queryable } from '../database/database.ts'
import { readDayRecords } from './recorded.ts'

export interface LastDayCheckDeps {
  db: Queryable
  archive: ArchiveReader
  log: Logger
}

/** Starts the check. @returns `stop`, which aborts it and waits for its end */
export function startLastDayCheck(deps: LastDayCheckDeps): { stop(): Promise<void> } {
  const controller = new AbortController()
  const ended = check(deps, controller.signal).catch((error) => {
    // A missing archive was already reported at startup.
    const isMissing = isArchiveError(error, 'archive_unavailable')
    if (!controller.signal.aborted && !isMissing)
      deps.log.warn({ err: error }, 'the records of the last sealed day could not be checked')
  })
  return {
    async stop() {
      controller.abort()
      await ended
    },
  }
}

async function check({ db, archive, log }: LastDayCheckDeps, signal: AbortSignal): Promise<void> {
  const day = (await archive.days()).at(-1)
  const sealed = day && (await archive.manifest(day))?.manifest.snapshot.records
  if (!day || !sealed) return
  const pause = () => nextTurn(undefined, { signal })
  // Check again before reporting: a message may have been hidden or shown between two page reads.
  for (const isLast of [false, true]) {
    const { records } = await readDayRecords(db, daySpan(day), pause)
    const differing = differingRecords(sealed, records)
    if (differing.length === 0) {
      log.info({ day, messages: records.count }, `the records of ${day} match its seal`)
      return
    }
    if (isLast)
      log.error(
        { day, sealed, found: records },
        `the records of ${day} do not match its seal: ${differing.join(', ')}`,
      )
  }
}
