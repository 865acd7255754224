// The boards of released versions, which every later version opens (OPERATING.md 17): each folder of test/fixtures/released
// has one as its version left it. generate.ts there has made it, once, before the release.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createDatabase, ON_POSTGRES } from './database.ts'
import { ROOT } from './imports.ts'
import { postgresPrograms } from './postgres.ts'
import { temporaryFolder } from './release.ts'

export const RELEASED = join(ROOT, 'test/fixtures/released')

/** The sealed days, the next one, and the morning after it, on which a board was left. */
export const SEALED = ['2026-01-05', '2026-01-06'] as const
export const NEXT = '2026-01-07'
export const LEFT_AT = `${NEXT}T12:00:00Z`

/** The settings of a board. */
export const RELEASED_ENV = { BASE_URL: 'https://board.example' }

/** The receipt of a message of the last sealed day. */
export const RECEIPT = 'receipt'

/** What a released version answered to a GET, by `Accept` and path: JSON as it was, of others the status only. */
export interface ReleasedAnswer {
  status: number
  json?: unknown
}

export const releasedVersions = (): string[] =>
  readdirSync(RELEASED, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

const unpacked = (version: string, name: string) =>
  gunzipSync(readFileSync(join(RELEASED, version, `${name}.gz`)))

/** Returns the GETs that a server does not answer as the released version did, but for properties that it adds. */
export async function changedAnswers(url: string, version: string): Promise<string[]> {
  const answers: Record<string, ReleasedAnswer> = JSON.parse(
    String(unpacked(version, 'answers.json')),
  )
  const changed: string[] = []
  for (const [request, released] of Object.entries(answers)) {
    const [accept = '', path = ''] = request.split(' ')
    const response = await fetch(url + path, { headers: { accept }, redirect: 'manual' })
    const text = await response.text()
    const found = { status: response.status, ...('json' in released && { json: JSON.parse(text) }) }
    if (!includes(found, released)) changed.push(`${request}: ${JSON.stringify(found)}`)
  }
  return changed
}

/** Whether a JSON value is the same as another one, but for properties that it has besides. */
function includes(value: unknown, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return value === other
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(other) && (value as unknown[]).length !== other.length) return false
  return Object.entries(other).every(([name, part]) =>
    includes((value as Record<string, unknown>)[name], part),
  )
}

/**
 * Makes a data folder with a board of a released version, on the engine of the tests. Like DATA_DIR, it has the database, the
 * signing key and `transmissions`, and besides the receipt.
 */
export async function restoreReleased(version: string): Promise<string> {
  const dir = temporaryFolder()
  cpSync(join(RELEASED, version, 'data'), dir, { recursive: true })
  if (!ON_POSTGRES) {
    writeFileSync(join(dir, 'daysignal.sqlite'), unpacked(version, 'board.sqlite'))
    return dir
  }
  const psql = join(postgresPrograms() as string, 'psql')
  const url = await createDatabase(dir, 'template0')
  const options = ['-qX', '-v', 'ON_ERROR_STOP=1', '-d', url]
  execFileSync(psql, options, {
    input: unpacked(version, 'board.sql'),
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  return dir
}
