// Makes boards of any size for benchmarks: days of 50,000 evenly spread messages of varied texts, up to yesterday.
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { statement } from '../support/postgres.ts'
import type { Stage } from './servers.ts'

export const DAY_MS = 86_400_000
export const MESSAGES_PER_DAY = 50_000
export const MILLION = 1_000_000
/** The start of yesterday, UTC [ms since 1970]. */
export const YESTERDAY = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS

export interface BoardSize {
  messages: number
  /** How many of the first messages are in a hidden directory. */
  hidden?: number
  /** How many of the last messages are in the directory `big`. */
  big?: number
}

/** 200,000 of its messages are in the directory `big`. */
const BOARD_OF_MILLION: BoardSize = { messages: MILLION, big: 200_000 }

/** What the texts are cut from: 1,000 characters without a period of their own. */
const WORDS = Array.from({ length: 250 }, (_, i) =>
  `${((i * 7919) % 9973).toString(36)} `.padEnd(4, 'e'),
)
  .join('')
  .slice(0, 1_000)

/** The text of message i: 40 to 599 characters, 320 on average, from any place of WORDS. */
const LENGTH = 'cast(40 + (i * 7919) % 560 as integer)'
const TEXT = `substr('${WORDS}', cast(1 + (i * 31) % 400 as integer), ${LENGTH})`
/** The number of message i with as many digits as a hash and a salt have. */
const digits = (count: number) => `substr('${'0'.repeat(count)}' || i, 1 + length(cast(i as text)))`
const [HASH, SALT] = [digits(64), digits(32)]

/** Makes the database of a board in a new SQLite file. */
export async function makeBoard(path: string, size: BoardSize): Promise<void> {
  await (await openDatabase(path, { clock: system.clock, create: true })).close()
  const db = new DatabaseSync(path)
  db.exec(`pragma foreign_keys = off; pragma synchronous = off;
    pragma journal_mode = off; pragma cache_size = -200000;
    begin; ${boardOf(size)} commit; pragma journal_mode = wal`)
  db.close()
}

/** Makes the board of a million in an empty database on PostgreSQL. */
export async function makePostgresBoard(url: string): Promise<void> {
  await (await openDatabase(url, { clock: system.clock, create: true })).close()
  // In this role, no foreign key is checked.
  await statement(url, `set session_replication_role = replica; ${boardOf(BOARD_OF_MILLION)}`)
  await statement(url, 'vacuum analyze')
}

/**
 * Returns the statements that fill a board, on either engine. Every tenth message is an observation with sources, every
 * hundredth has a review, and every twentieth is answered by the next four.
 */
function boardOf(size: BoardSize): string {
  const { messages, hidden = 0, big = 0 } = size
  const step = DAY_MS / MESSAGES_PER_DAY
  const start = YESTERDAY + DAY_MS - messages * step
  const at = `cast(${start} + (i - 1) * ${step} as bigint)`
  const directory = `case when i <= ${hidden} then 501 when i > ${messages - big} then 502 else 1 + i % 500 end`
  const isEntry = `i % 10 = 0 and i > ${hidden} and i <= ${messages - big}`
  const numbers = `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${messages})`
  return `insert into directories (id, path, author_label, created_at, hidden, visible)
      values (501, 'gone', '', ${start}, 1, 0), (502, 'big', '', ${start}, 0, 1);
    ${numbers} insert into directories (id, path, author_label, created_at, hidden, visible)
      select i, 'd' || i, '', ${start}, 0, 1 from n where i <= 500;
    ${numbers} insert into messages (id, directory_id, investigation_id, body, body_hash, body_bytes,
        author_label, received_at, publish_at, salt, hidden, visible)
      select i, ${directory}, case when ${isEntry} then 1 + i % 7 end, ${TEXT},
        ${HASH}, ${LENGTH}, 'a reader', ${at}, ${at}, ${SALT}, 0, case when i <= ${hidden} then 0 else 1 end from n;
    ${numbers} insert into entries (message_id, investigation_id, kind, source_count, sources, links)
      select i, 1 + i % 7, 'observation', i / 10 % 4, '[]', '[]' from n where ${isEntry};
    ${numbers} insert into mentions (message_id, target_id, host, answers)
      select i, i - i % 20, '', 1 from n where i % 20 between 1 and 4 and i > 20 + ${hidden};
    ${numbers} insert into reviews (id, message_id, outcome, reason, evidence_note, created_at)
      select i, i, 'unsupported', 'x', '', ${at} from n where i % 100 = 0;
    insert into investigations (id, root_message_id, directory_id, title, created_at, hidden, visible)
      select n, n * 10, 1, 'a question', ${start}, 0, 1
      from (select 1 + id as n from directories where id < 7 union select 1) as seven;
    update sequences set last = 502 where name = 'directory';
    update sequences set last = 7 where name = 'investigation';
    update sequences set last = ${messages} where name in ('message', 'review');
    update sequences set last = ${YESTERDAY + DAY_MS - 1} where name = 'publish_at';`
}

/**
 * Makes a data folder with a board of 1,000,000 messages, 200,000 of them in the directory `big`. Every part gets its own
 * copy, which it may change.
 */
export async function boardOfMillion({ folder, shared }: Stage): Promise<string> {
  const original = join(shared, 'million.sqlite')
  if (!existsSync(original)) await makeBoard(original, BOARD_OF_MILLION)
  const dataDir = mkdtempSync(join(folder, 'million-'))
  copyFileSync(original, join(dataDir, 'daysignal.sqlite'))
  return dataDir
}
