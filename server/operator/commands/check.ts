// operator check: compares the database with the sealed days, and every text with its hash (COMMANDS.md 6.6).
import { type ArchiveErrorCode, isArchiveError } from '../../../archive/base/errors.ts'
import type { ProgressBar } from '../../../archive/base/progress-bar.ts'
import { visible } from '../../../archive/base/terminal-text.ts'
import { daySpan } from '../../../archive/format/calendar.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import type { SealedRecords } from '../../../archive/format/snapshot.ts'
import { differingRecords } from '../../../archive/log/sealed-records.ts'
import { type ArchiveReader, openReader } from '../../../archive/reading/reader.ts'
import { readDataConfig } from '../../data/location.ts'
import { readDayRecords } from '../../data/recorded.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { readRows } from '../../database/transfer.ts'
import { type CommandResult, defineCommand, reading } from '../command.ts'

/** A fault or note, as `npm run verify` reports it (FORMAT.md 12.3). */
interface Difference {
  code: 'body_differs' | 'body_erased' | ArchiveErrorCode
  file: string
  message: string
}

export const check = defineCommand({
  name: 'check',
  help: {
    check:
      'compares the records of every sealed day with the database, and each text with its hash; exits 1 if one differs or no day is sealed. npm run verify checks the archive itself',
  },
  words: [],
  options: {},
  prepare: () =>
    reading(async (database, { env, random, progress }) => {
      const archive = await openReader(readDataConfig(env).archive, random)
      const days = await compareDays(database, archive, progress)
      progress.show(null, 'texts')
      const findings = await database.read(checkBodies)
      progress.clear()
      return outputOf(days, findings)
    }),
})

async function compareDays(database: Database, archive: ArchiveReader, progress: ProgressBar) {
  const days = await archive.days()
  const reports: { day: string; ok: boolean; findings: Difference[] }[] = []
  for (const day of days) {
    progress.show(reports.length / days.length, day)
    const finding = await compareDay(database, archive, day)
    reports.push({ day, ok: finding === null, findings: finding ? [finding] : [] })
  }
  return reports
}

type DayReports = Awaited<ReturnType<typeof compareDays>>

/** Compares the records of a sealed day with those in the database. @throws ArchiveError `archive_unavailable` */
async function compareDay(
  database: Database,
  archive: ArchiveReader,
  day: string,
): Promise<Difference | null> {
  let sealed: SealedRecords | undefined
  try {
    sealed = (await archive.manifest(day))?.manifest.snapshot.records
  } catch (error) {
    if (!isArchiveError(error) || error.code === 'archive_unavailable') throw error
    return { code: error.code, file: day, message: error.message }
  }
  if (!sealed) return null
  const { records: found } = await database.read((tx) => readDayRecords(tx, daySpan(day)))
  const list = differingRecords(sealed, found).map(
    (name) => `${name} is ${found[name]}, but ${sealed[name]} was sealed`,
  )
  return list.length === 0 ? null : { code: 'records_differ', file: day, message: list.join('; ') }
}

/** Reports the first message whose body does not match its hash, and every message that was erased. */
async function checkBodies(tx: Transaction): Promise<Difference[]> {
  const erasures = await tx.selectFrom('erasures').select('message_id').execute()
  const erased = new Set(erasures.map((row) => row.message_id))
  const findings: Difference[] = []
  let isDamaged = false
  for await (const rows of readRows(tx, 'messages'))
    for (const { id, body, body_hash } of rows) {
      if (sha256Of(String(body)) === body_hash) continue
      const file = `message ${id}`
      if (body === '' && erased.has(id as bigint))
        findings.push({ code: 'body_erased', file, message: 'its text was removed for good' })
      else if (!isDamaged) {
        isDamaged = true
        findings.push({
          code: 'body_differs',
          file,
          message: 'its text does not have its body_hash',
        })
      }
    }
  return findings
}

function outputOf(days: DayReports, findings: readonly Difference[]): CommandResult {
  const differing = days.filter((day) => !day.ok)
  const isIntact = findings.every(({ code }) => code === 'body_erased') && differing.length === 0
  const ok = isIntact && days.length > 0
  const shown = [...differing.flatMap((day) => day.findings), ...findings]
  const total = days.length === 1 ? '1 sealed day' : `${days.length} sealed days`
  return {
    json: { ok, days, findings },
    text: [...shown.map(lineOf), `${total}, of which ${differing.length} differ`].join('\n'),
    ...(!ok && {
      failedCheck: isIntact
        ? 'there is no sealed day to compare the database with'
        : 'the database is not what was sealed',
    }),
  }
}

const lineOf = ({ code, file, message }: Difference): string =>
  `${code === 'body_erased' ? 'note' : code} ${file}: ${visible(message)}`
