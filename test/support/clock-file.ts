// Keeps the clocks of a machine in a file, so that a test can set those of a process that it may kill.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Clock, system } from '../../server/system/system.ts'

/** What the clocks show [ms]; wall and database since 1970. They stand still until a test sets them. */
export interface Clocks {
  wall: number
  database: number
  sinceBoot: number
}

/** Returns the clocks of a file. Timeouts are measured by the real monotonic clock. */
export function clockIn(file: string): Clock {
  const read = (): Clocks => JSON.parse(readFileSync(file, 'utf8'))
  return {
    now: () => read().wall,
    sinceBoot: () => read().sinceBoot,
    ofDatabase: () => read().database,
    monotonic: system.clock.monotonic,
  }
}

/** Replaces the file, so that a reader sees the old clocks or the new ones. */
export function setClocks(file: string, clocks: Clocks): void {
  writeFileSync(`${file}.new`, JSON.stringify(clocks))
  renameSync(`${file}.new`, file)
}
