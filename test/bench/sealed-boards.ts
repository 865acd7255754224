// Makes boards whose days are sealed, so that their words can be mirrored: without media, but with leaves and a log.
import { hash, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dayOf } from '../../archive/format/calendar.ts'
import { sealDays } from '../support/sealing.ts'
import { type BoardSize, DAY_MS, makeBoard, YESTERDAY } from './boards.ts'

/** Makes a data folder with a board of whole days, the last of which is yesterday. @returns the days, ascending */
export async function makeSealedBoard(
  dataDir: string,
  size: BoardSize & { perDay: number },
): Promise<string[]> {
  await mkdir(dataDir)
  const path = join(dataDir, 'daysignal.sqlite')
  await makeBoard(path, size)
  completeLeaves(path)
  const count = size.messages / size.perDay
  const days = Array.from({ length: count }, (_, i) => dayOf(YESTERDAY - (count - 1 - i) * DAY_MS))
  await sealDays(dataDir, days, Date.now(), { LOG_ORIGIN: 'bench.example' })
  return days
}

/** Gives each message the hash of its text and a salt, and each investigation a question. */
function completeLeaves(path: string): void {
  const db = new DatabaseSync(path)
  db.function('sha256', { deterministic: true }, (text) => hash('sha256', String(text)))
  db.function('salt', () => randomBytes(16).toString('hex'))
  db.exec(`pragma synchronous = off; begin;
    update messages set body_hash = sha256(body), salt = salt();
    update messages set investigation_id = id / 10 where id <= 70 and id % 10 = 0;
    update entries set investigation_id = message_id / 10, kind = 'question' where message_id <= 70;
    update entries set source_count = 0;
    commit`)
  db.close()
}
