// Computes the tables of server/deploy/GROWTH.md, which show how far the design scales, from a few measured figures.

/** The measured figures; GROWTH.md gives the source of each. */
export const MEASURED = {
  /** Round trips of a batch without the commit, counted in PostgreSQL's log of statements. */
  roundTrips: 12,
  /** Deciding and inserting one write of a batch, in the process and in the database [ms]. */
  writeMs: 0.1,
  /** CPU time of a page of 50 messages that is not cached [ms]. */
  pageMs: 0.2,
  /** CPU time of a page from nginx's cache [ms]. */
  cachedPageMs: 0.02,
  /** CPU time of the page's query in the database [ms]. */
  queryMs: 0.1,
  /** Files of a day, and their total size. */
  filesPerDay: 7,
  bytesPerDay: 23_350_000,
} as const

const MS_PER_S = 1000
const S_PER_DAY = 86_400
const DAYS_OF_TEN_YEARS = 3652
const KEYS_PER_LIST = 1000

export const BATCHES = [1, 10, 50, 200]
export const COMMITS_MS = [0.2, 1, 5, 20]

/**
 * Computes the writes per second that the single row of `sequences` allows, for any number of processes: batches hold
 * the row one after another.
 * @param size writes in a batch @param commitMs until a commit is durable @param roundTripMs to the database
 */
export function writesPerSecond(size: number, commitMs: number, roundTripMs: number): number {
  const { roundTrips, writeMs } = MEASURED
  return (size * MS_PER_S) / (roundTrips * roundTripMs + commitMs + size * writeMs)
}

export interface Readers {
  /** Requests per second that reach the service. */
  missed: number
  /** CPU cores that the caches, the service and the database need. */
  cacheCores: number
  serviceCores: number
  databaseCores: number
}

/** @param readers clients that request the newest page every `everyS` seconds @param hits share found in the cache */
export function readersAt(readers: number, everyS: number, hits: number): Readers {
  const { pageMs, cachedPageMs, queryMs } = MEASURED
  const perSecond = readers / everyS
  const missed = perSecond * (1 - hits)
  return {
    missed,
    cacheCores: (perSecond * cachedPageMs) / MS_PER_S,
    serviceCores: (missed * pageMs) / MS_PER_S,
    databaseCores: (missed * queryMs) / MS_PER_S,
  }
}

export interface ArchiveSize {
  objects: number
  bytes: number
  /** LIST requests that find all objects, or, with a delimiter, only the days. */
  lists: number
  listsOfDays: number
}

export function archiveAfter(days: number): ArchiveSize {
  const objects = days * MEASURED.filesPerDay
  return {
    objects,
    bytes: days * MEASURED.bytesPerDay,
    lists: Math.ceil(objects / KEYS_PER_LIST),
    listsOfDays: Math.ceil(days / KEYS_PER_LIST),
  }
}

/** Rounds to two significant digits, with a space between thousands. */
function round(value: number): string {
  if (value < 1) return String(Number(value.toPrecision(2)))
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1)
  return String(Math.round(value / digits) * digits).replace(/\B(?=(?:\d{3})+$)/g, ' ')
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => '---:')), ...rows.map(row)].join('\n')

/** @param roundTripMs to the database */
const writes = (roundTripMs: number) =>
  table(
    ['writes in a batch', ...COMMITS_MS.map((ms) => `commit ${ms} ms`)],
    BATCHES.map((size) => [
      size,
      ...COMMITS_MS.map((ms) => round(writesPerSecond(size, ms, roundTripMs))),
    ]),
  )

const POLL_S = 10

const readers = () =>
  table(
    ['readers', 'from the cache', 'pages/s of the service', 'cores: cache', 'service', 'database'],
    [1e4, 1e6, 1e8].flatMap((count) =>
      [0, 0.9, 0.99, 0.999].map((hits) => {
        const needs = readersAt(count, POLL_S, hits)
        const { missed, cacheCores, serviceCores, databaseCores } = needs
        const cells = [missed, hits === 0 ? 0 : cacheCores, serviceCores, databaseCores]
        return [round(count), `${Number((hits * 100).toFixed(1))} %`, ...cells.map(round)]
      }),
    ),
  )

const archive = () =>
  table(
    ['after', 'objects', 'GB', 'lists of all objects', 'lists of the days'],
    [30, 365, DAYS_OF_TEN_YEARS].map((days) => {
      const { objects, bytes, lists, listsOfDays } = archiveAfter(days)
      const gigabytes = (bytes / 1e9).toFixed(1)
      return [`${days} days`, objects, gigabytes, lists, listsOfDays]
    }),
  )

export const SHARDS = [1, 4, 16, 64]

/** Several logs, each for a group of directories, and a cursor with a position in each. */
const shards = () => {
  const one = writesPerSecond(200, 1, 0.5)
  return table(
    ['logs', 'writes/s', 'messages a day', 'index lookups of a page', 'cursor, characters'],
    SHARDS.map((count) => [
      count,
      round(one * count),
      round(one * count * S_PER_DAY),
      count,
      // Ids of up to 12 digits, and a comma between two.
      count * 13 - 1,
    ]),
  )
}

/** The tables of GROWTH.md, by name. */
export const TABLES: Record<string, () => string> = {
  'writes, database on the same machine': () => writes(0.05),
  'writes, database in the same zone': () => writes(0.5),
  readers,
  archive,
  shards,
}

/** Prints every table. */
export async function printGrowth(): Promise<void> {
  for (const [name, text] of Object.entries(TABLES)) console.log(`${name}\n\n${text()}\n`)
}
