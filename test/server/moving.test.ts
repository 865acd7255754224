// Exports and imports as files: private, whole or not there, and refused by the line that is wrong (API.md 10.12).
// How a service moves from one engine to the other: engines/moving.test.ts.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../server/store/database.ts'
import { writeImportState } from '../../server/store/import-state.ts'
import { operateOn } from '../support/moving.ts'
import { publisherOf } from '../support/publish.ts'
import { startTestService, type TestService } from '../support/service.ts'

let dir: string
let service: TestService
let lines: string[]
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'moving-'))
  service = await startTestService()
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  await publish.investigation('lab')
  for (let i = 0; i < 5; i++) await publish.message('lab', `message ${i} \u2028 \u{1f4fb}`)
  await operateOn(service.config.database, ['export', at('whole')])
  lines = readFileSync(at('whole'), 'utf8').split(/(?<=\n)/)
})
afterAll(async () => {
  await service.stop()
  rmSync(dir, { recursive: true })
})

const at = (name: string) => join(dir, name)
const modeOf = (file: string) => statSync(file).mode & 0o777
/** What a command printed, or why it failed. */
const saidBy = (run: Promise<unknown>) => run.then(String, (error: Error) => error.message)

let made = 0
/** Imports a text into a new database; what was printed, or the error. */
async function importOf(content: string | Buffer, suffix = ''): Promise<string> {
  const file = at(`case-${made++}${suffix}`)
  writeFileSync(file, content)
  const said = await saidBy(operateOn(`${file}.sqlite`, ['import', file]))
  return said.replaceAll(file, 'FILE')
}

test('an export is a private file with its counts and hash at the end, and never replaces a file', async () => {
  writeFileSync(at('new.gz.partial'), 'left by a kill')
  const said = await operateOn(service.config.database, ['export', at('new.gz')])
  expect(said).toMatch(
    /new\.gz: [0-9]+ rows \(.*messages 6.*\)\nSHA-256 of its rows: [0-9a-f]{64}\nmode 0600:/,
  )
  expect([modeOf(at('new.gz')), existsSync(at('new.gz.partial'))]).toEqual([0o600, false])
  const unpacked = gunzipSync(readFileSync(at('new.gz')))
    .toString()
    .split(/(?<=\n)/)
  const { end } = JSON.parse(unpacked.pop() as string)
  expect(end.sha256).toBe(createHash('sha256').update(unpacked.join('')).digest('hex'))
  expect(end.counts).toMatchObject({ directories: 1, messages: 6, investigations: 1 })
  expect(await saidBy(operateOn(service.config.database, ['export', at('new.gz')]))).toBe(
    `operator: ${at('new.gz')}: already exists; choose another name`,
  )
})

test('an export has the key of the address hashes and no signing key', () => {
  expect(lines.filter((line) => line.startsWith('{"settings":{"name":"origin_key"'))).toHaveLength(
    1,
  )
  expect(lines.join('')).not.toContain('PRIVATE KEY')
})

test('what was exported is imported, plain and compressed', async () => {
  expect(await importOf(lines.join(''))).toMatch(/messages 6/)
  expect(await importOf(gzipSync(lines.join('')), '.gz')).toMatch(/messages 6/)
})

const foreign = 'not an export of Daysignal'
test.each<[string, () => string | Buffer, string, string?]>([
  ['an empty file', () => '', `line 1: ${foreign}; the file is empty`],
  ['a file of another program', () => 'id,body\n1,hello\n', `line 1: ${foreign}`],
  [
    'a file without line ends',
    () => Buffer.alloc(5_000_000, 'x'),
    `line 1: ${foreign}; the line is too long`,
  ],
  [
    'bytes that are no UTF-8',
    () => Buffer.from([0xff, 0x0a]),
    'line 1: The encoded data was not valid for encoding utf-8',
  ],
  [
    'an export of another schema',
    () => '{"daysignal_export":1,"schema":"0001_initial"}\n',
    'line 1: an export of another version of Daysignal (0001_initial, here',
  ],
  [
    'a file that is cut after a line',
    () => lines.slice(0, 9).join(''),
    'line 9: the rest of the file after this line is missing',
  ],
  [
    'a file that is cut in a line',
    () => lines.slice(0, 9).join('').slice(0, -5),
    'line 9: damaged: not a row of an export',
  ],
  [
    'a table that nobody knows',
    () => `${lines[0]}{"secrets":{}}\n`,
    'line 2: damaged: no table is called secrets',
  ],
  [
    'a row without a column',
    () => `${lines[0]}{"settings":{"name":"x"}}\n`,
    'line 2: damaged: settings.value must be text',
  ],
  [
    'an integer beyond 64 bits',
    () => `${lines[0]}{"sequences":{"name":"x","last":"9223372036854775808"}}\n`,
    'line 2: damaged: sequences.last must be integer',
  ],
  [
    'a changed text',
    () => lines.join('').replace('message 3', 'message 4'),
    'the hash or a count does not match the lines before',
  ],
  [
    'a row twice',
    () => lines.toSpliced(3, 0, lines[3] as string).join(''),
    'the hash or a count does not match the lines before',
  ],
  [
    'something after the end',
    () => `${lines.join('')}{}\n`,
    'the file continues after the end of the export',
  ],
  [
    'a compressed file that is cut',
    () => gzipSync(lines.join('')).subarray(0, 300),
    'unexpected end of file',
    '.gz',
  ],
  ['a file that is not compressed', () => lines.join(''), 'line 1: incorrect header check', '.gz'],
])('%s is refused by its line, and no database is made', async (_, content, reason, suffix) => {
  const said = await importOf(content(), suffix)
  expect(said).toMatch(/^operator: FILE: line [0-9]+: [^\n]+$/)
  expect(said).toContain(reason)
  expect(
    readdirSync(dir).filter((name) => name === `case-${made - 1}${suffix ?? ''}.sqlite`),
  ).toEqual([])
})

test('a file that is not there is named, and so is a folder', async () => {
  const importing = (path: string) => saidBy(operateOn(at('none.sqlite'), ['import', path]))
  expect(await importing(at('none'))).toBe(`operator: ${at('none')}: no such file or folder`)
  expect(await importing(dir)).toBe(`operator: ${dir}: is a folder`)
})

test('rows that contradict each other are refused by their lines', async () => {
  const rows = lines.slice(0, -1).filter((line) => !line.startsWith('{"directories"'))
  const { end } = JSON.parse(lines.at(-1) as string)
  delete end.counts.directories
  end.sha256 = createHash('sha256').update(rows.join('')).digest('hex')
  const said = await importOf(`${rows.join('')}${JSON.stringify({ end })}\n`)
  expect(said).toMatch(/^operator: FILE: line [0-9]+ and following: FOREIGN KEY constraint failed$/)
})

test('an import goes into an empty database only', async () => {
  const { database } = service.config
  expect(await saidBy(operateOn(database, ['import', at('whole')]))).toBe(
    `operator: ${database}: is not empty; use an empty database`,
  )
})

test('a database with an unfinished import is served by nobody, and takes no other file', async () => {
  const database = at('unfinished.sqlite')
  const store = await openStore(database, { create: true })
  await store.write((tx) => writeImportState(tx, { sha256: 'of another file', rows: 0 }))
  await store.close()
  expect(await saidBy(startTestService({ DATABASE_URL: `sqlite:${database}` }))).toBe(
    `DATABASE_URL: ${database}: an import into it is unfinished; repeat npm run operator -- import FILE`,
  )
  expect(await saidBy(operateOn(database, ['import', at('whole')]))).toBe(
    `operator: ${database}: has an unfinished import of another file; import that one, or use an empty database`,
  )
})
