// Provides each test with an archive and its log of days.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { manifestName } from '../../../archive/format/paths.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { DayLog } from '../../../archive/writing/day-log.ts'
import { openDayLog } from '../../../pipeline/run/signed-log.ts'
import { makeDay as lightDay, publish as publishDay } from '../../archive/days.ts'
import { ORIGIN } from '../../archive/signing.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { logConfigIn } from '../../support/sealing.ts'
import { openWriter } from '../../support/writers.ts'
import { workshopForEach } from '../workshop.ts'

export const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19']

/** Changes the last hexadecimal digit of a log. */
export const flipped = (log: string) =>
  log.replace(/.\n$/, (end) => (end === '0\n' ? '1\n' : '0\n'))

/** Opens a workshop before each test of the file. */
export function loggedArchive() {
  const workshop = workshopForEach()
  const path = (name: string) => join(workshop.archiveDir, name)
  const read = (name: string) => readFileSync(path(name), 'utf8')
  const manifestPath = (day: string) => path(`${day}/${manifestName(day)}`)
  const config = () => ({
    ...logConfigIn(workshop.dir),
    logOrigin: undefined as string | undefined,
    defaultLogOrigin: ORIGIN,
  })
  const open = (
    changes: Partial<ReturnType<typeof config>> = {},
    options = {},
  ): Promise<DayLog> => {
    const { database, archiveDir } = workshop
    return openDayLog(database, folderPlace(archiveDir), { ...config(), ...changes }, options)
  }
  /** Publishes small days without logging them. */
  const publish = async (...days: string[]): Promise<void> => {
    const writer = await openWriter(workshop.archiveDir, { create: true })
    for (const day of days) await publishDay(writer, lightDay(day, null))
  }
  const publishAndLog = async (...days: string[]): Promise<void> => {
    await publish(...days)
    const log = await open()
    expect(await log.append(days)).toEqual([])
  }
  /** Overwrites a file although it is read-only. */
  const overwrite = (name: string, content: string | Uint8Array): void =>
    overwriteFile(path(name), content)
  return { workshop, path, read, manifestPath, config, open, publish, publishAndLog, overwrite }
}
