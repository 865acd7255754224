// operator import DIR, of a mirror that lacks days, or whose files are not regular files or contradict each other.
// Rules: COMMANDS.md 6.9; FORMAT.md 2.2, 26.2-26.4.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { mirrorFrom } from '../../../archive/mirror/signed-archive.ts'
import { emptyDatabase } from '../../../support/database.ts'
import { act, operated, operator } from '../../../support/operator.ts'
import { temporaryFolder } from '../../../support/release.ts'
import { sealDays } from '../../../support/sealing.ts'
import { clockAt, startTestService } from '../../../support/service.ts'

const FIRST = '2026-11-17'
const SECOND = '2026-11-18'
const BASE_URL = 'https://board.example.org'

let root: string
/** A mirror of two days; the second one refers to the first. */
let mirror: string
let ids: Record<'question' | 'reviewed' | 'contribution' | 'plain', bigint>

beforeAll(async () => {
  root = temporaryFolder()
  mirror = join(root, 'mirror')
  const clock = clockAt(`${FIRST}T08:00:00Z`)
  const source = await startTestService({ BASE_URL }, clock)
  const { publish } = source
  await publish.directory('lab')
  await publish.directory('lab/inner')
  const { id, root: question } = await publish.investigation('lab')
  const reviewed = await publish.contribution(id)
  clock.passTo(`${SECOND}T08:00:00Z`)
  const contribution = await publish.contribution(id, { body: 'it continues' })
  const plain = await publish.message('lab/inner', 'a text of the second day')
  await act(source, 'review', reviewed, '--outcome', 'withdrawn')
  await act(source, 'review', contribution, '--outcome', 'withdrawn')
  await act(source, 'hide', 'message', await publish.message('lab', 'taken down'))
  clock.passTo('2026-11-19T12:00:00Z')
  await sealDays(source.dataDir, [FIRST, SECOND], clock.now(), { BASE_URL })
  const selection = { records: true as const, media: [] }
  expect(await mirrorFrom(source.url, mirror, { selection })).toMatchObject({ ok: true })
  ids = { question, reviewed, contribution, plain }
  await source.stop()
})

/** A copy of the mirror that a test damages. */
function copyOf(damage: (copy: string) => void): string {
  const copy = mkdtempSync(join(root, 'copy-'))
  cpSync(mirror, copy, { recursive: true })
  damage(copy)
  return copy
}

describe('a mirror without the day that a later day refers to', () => {
  test('what can be shown is shown, the rest is hidden or left out, and the import names it', async () => {
    const copy = copyOf((dir) => rmSync(join(dir, FIRST), { recursive: true }))
    const board = await startTestService({ BASE_URL }, clockAt('2026-11-19T13:00:00Z'))
    let out = ''
    await board.restart({}, async () => {
      await emptyDatabase(board.dataDir)
      out = await operated(board, 'import', copy)
      rmSync(board.archiveDir, { recursive: true, force: true })
      const isOfArchive = (path: string) => !/mirror\.json$|\.ndjson$|\/\.[a-z.]+$/.test(path)
      cpSync(copy, board.archiveDir, { recursive: true, filter: isOfArchive })
    })
    expect(out).toContain(`Days of its log that the mirror does not have: ${FIRST}\n`)
    expect(out).toContain('Directories without their author labels: lab, lab/inner\n')
    expect(out).toContain(
      `Hidden, since the questions of investigations 1 are not in the mirror: contributions ${ids.contribution}\n`,
    )
    expect(out).toContain('Left out, since their messages are not in the mirror: reviews 1\n')
    const { client } = board
    expect((await client.get(`/messages/${ids.plain}.txt`)).text).toBe('a text of the second day')
    expect((await client.get(`/messages/${ids.contribution}`)).status).toBe(404)
    expect((await client.get('/api/v1/directories')).text).toContain('"lab/inner"')
    const records = (await client.get(`/api/v1/days/${SECOND}/records`)).text
    expect(records).toContain(`"type":"hidden","id":${ids.contribution},`)
    const { publish } = board
    await publish.directory('lab/new')
    expect(await publish.message('lab/new')).toBe(ids.plain + 2n)
  })
})

const RECORDS = `${SECOND}/${SECOND}.records.ndjson`

/** Changes the text of a file of the mirror. */
const change = (name: string, edit: (text: string) => string) => (copy: string) => {
  const file = join(copy, name)
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  writeFileSync(file, edit(text))
}

/** Edits the records of the second day. */
const edit = (lines: (before: string[]) => string[]) =>
  change(RECORDS, (text) =>
    lines(text.trimEnd().split('\n'))
      .map((line) => `${line}\n`)
      .join(''),
  )

const twice = (type: string) =>
  edit((lines) => {
    const at = lines.findIndex((line) => line.includes(`"type":"${type}"`))
    return lines.toSpliced(at, 0, lines[at] as string)
  })

/** Puts something else in place of a file of the mirror. */
const instead = (name: string, make: (path: string) => void) => (copy: string) => {
  rmSync(join(copy, name), { recursive: true })
  make(join(copy, name))
}

const NOT_REGULAR = /\.records\.ndjson: is missing, or not a regular file/

describe('is rejected in one line, before a database is made', () => {
  test.each<[string, (copy: string) => void, RegExp]>([
    [
      'records that are a link',
      instead(RECORDS, (path) => symlinkSync('/etc/passwd', path)),
      NOT_REGULAR,
    ],
    ['a link to itself', instead(RECORDS, (path) => symlinkSync(path, path)), NOT_REGULAR],
    ['a folder', instead(RECORDS, (path) => mkdirSync(path)), NOT_REGULAR],
    ['a pipe', instead(RECORDS, (path) => execFileSync('mkfifo', [path])), NOT_REGULAR],
    [
      'a record of moderation that is a link',
      instead('moderation.ndjson', (path) => symlinkSync('/etc/passwd', path)),
      /moderation\.ndjson: is missing, or not a regular file/,
    ],
    [
      'a record of moderation in another order',
      change('moderation.ndjson', (text) =>
        text
          .split(/(?<=\n)/)
          .reverse()
          .join(''),
      ),
      /moderation\.ndjson: line 2: id: does not come after/,
    ],
    [
      'a record of moderation of 100 MiB',
      instead('moderation.ndjson', (path) => {
        writeFileSync(path, '')
        truncateSync(path, 100 * 2 ** 20)
      }),
      /moderation\.ndjson: has 104857600 bytes, and may have 67108864$/m,
    ],
    [
      'a damaged record of moderation',
      change('moderation.ndjson', (text) => `{}\n${text}`),
      /moderation\.ndjson: line 1: /,
    ],
    [
      'a mirror without records',
      (copy) => rmSync(join(copy, 'mirror.json')),
      /is not a mirror that keeps the records of the days/,
    ],
    [
      'changed records',
      change(RECORDS, (text) => text.replace('"body":"', '"body":"lie ')),
      /\.records\.ndjson: message [0-9]+: its text does not have its body_hash/,
    ],
    [
      'records that are cut in the middle of a line',
      change(RECORDS, (text) => text.slice(0, -2)),
      /\.records\.ndjson: a line does not end with a line feed/,
    ],
    [
      'a binary file',
      instead(RECORDS, (path) => writeFileSync(path, Buffer.alloc(99, 0xff))),
      /a line does not end with a line feed/,
    ],
    ['a review that is there twice', twice('review'), /review [12]: is there twice/],
    [
      'a directory with a path that is none',
      edit((lines) => {
        const line = { type: 'directory', path: '../x', author_label: '' }
        const directory = JSON.stringify({ ...line, created_at: `${SECOND}T09:00:00.000Z` })
        return lines.toSpliced(1, 0, directory)
      }),
      /directory "\.\.\/x": is not a path/,
    ],
  ])('%s', async (_, damage, message) => {
    const copy = copyOf(damage)
    const { code, out, err } = await operator({ dataDir: join(copy, 'none') }, ['import', copy])
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(message) })
    expect(err.trimEnd()).not.toContain('\n')
    expect(existsSync(join(copy, 'none'))).toBe(false)
  })

  test('a day whose folder is a link is not there', async () => {
    const elsewhere = join(root, 'elsewhere')
    const copy = copyOf((dir) => {
      cpSync(join(dir, FIRST), elsewhere, { recursive: true })
      instead(FIRST, (path) => symlinkSync(elsewhere, path))(dir)
    })
    const board = await startTestService({ BASE_URL }, clockAt('2026-11-19T13:00:00Z'))
    await board.restart({}, async () => {
      await emptyDatabase(board.dataDir)
      expect(await operated(board, 'import', copy)).toContain(`does not have: ${FIRST}\n`)
    })
  })
})
