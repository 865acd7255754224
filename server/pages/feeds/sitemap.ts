// Lists the pages of what was written and of the days for search engines, as parts of at most 50,000 addresses, each by
// ascending ids (sitemaps.org).
import { type RawBuilder, sql } from 'kysely'
import { dayUrl } from '../../../archive/format/paths.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../../database/database.ts'
import { directoryUrl, investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { Problem } from '../../wire/problem.ts'
import { SITEMAP_URL } from '../api.ts'

/** The most addresses of a part, and the most parts. */
const PART = 50_000n
const MAX_PARTS = 50_000
const PAGE = 1_000

interface Listed {
  id: bigint
  /** Of a directory, else empty. */
  path: string
}

interface Kind {
  /** Selects the visible records. */
  rows: RawBuilder<Listed>
  urlOf(row: Listed): string
}

const KINDS: Record<string, Kind> = {
  messages: {
    rows: sql`select id, '' as path from messages where ${VISIBLE_MESSAGE}`,
    urlOf: ({ id }) => messageUrl(id),
  },
  directories: {
    rows: sql`select id, path from directories where visible = 1`,
    urlOf: ({ path }) => directoryUrl(path),
  },
  investigations: {
    rows: sql`select id, '' as path from investigations where visible = 1`,
    urlOf: ({ id }) => investigationUrl(id),
  },
}

const after = async (
  db: Queryable,
  { rows }: Kind,
  id: bigint,
  limit: number,
): Promise<Listed[]> => {
  const page = sql<Listed>`${rows} and id > ${id} order by id limit ${sql.lit(limit)}`
  return (await page.execute(db)).rows
}

export interface SitemapSource {
  db: Queryable
  /** Without a trailing slash. */
  baseUrl: string
  days(): Promise<readonly string[]>
}

/**
 * Generates a part, or the list of all parts. Its ids are a range, so that nothing has to be counted.
 * @param of the kind of a part; undefined for the list
 * @throws Problem invalid_request for a kind that does not exist
 */
export function sitemap(source: SitemapSource, of: string | undefined, cursor: bigint) {
  if (of === undefined) return listOfParts(source)
  if (of === 'days') return partOfDays(source)
  const kind = Object.hasOwn(KINDS, of) ? KINDS[of] : undefined
  if (kind) return partOf(source, kind, cursor)
  throw new Problem('invalid_request', `of: must be one of days, ${Object.keys(KINDS).join(', ')}`)
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

const located = (element: string, address: string): string =>
  `<${element}><loc>${address.replaceAll('&', '&amp;')}</loc></${element}>\n`

async function* listOfParts({ db, baseUrl, days }: SitemapSource): AsyncGenerator<string> {
  const part = (query: string) => located('sitemap', `${baseUrl}${SITEMAP_URL}?${query}`)
  // A part without an address is invalid.
  yield `${HEAD}<sitemapindex ${XMLNS}>\n${(await days()).length === 0 ? '' : part('of=days')}`
  let parts = 1
  for (const [name, kind] of Object.entries(KINDS))
    for (let from = 0n; parts < MAX_PARTS; parts++) {
      // The next range with a record in it: operators hide records, and a restored board leaves ids out.
      const [next] = await after(db, kind, from, 1)
      if (!next) break
      const start = ((next.id - 1n) / PART) * PART
      yield part(`of=${name}&after=${start}`)
      from = start + PART
    }
  yield '</sitemapindex>\n'
}

async function* partOf(
  { db, baseUrl }: SitemapSource,
  kind: Kind,
  cursor: bigint,
): AsyncGenerator<string> {
  yield `${HEAD}<urlset ${XMLNS}>\n`
  const end = cursor + PART
  for (let from = cursor; from < end; ) {
    const rows = (await after(db, kind, from, PAGE)).filter(({ id }) => id <= end)
    yield rows.map((row) => located('url', baseUrl + kind.urlOf(row))).join('')
    from = rows[PAGE - 1]?.id ?? end
  }
  yield '</urlset>\n'
}

async function* partOfDays({ baseUrl, days }: SitemapSource): AsyncGenerator<string> {
  const urls = (await days()).slice(-Number(PART)).map((day) => baseUrl + dayUrl(day))
  yield `${HEAD}<urlset ${XMLNS}>\n${urls.map((url) => located('url', url)).join('')}</urlset>\n`
}
