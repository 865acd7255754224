// Tests export and import files: private, atomic, and rejected with the number of the invalid line.
// engines/moving.test.ts tests moving a service between engines.
// Rules: COMMANDS.md 6.7.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../../server/database/open.ts'
import { isUntouched } from '../../../../server/database/transfer.ts'
import { writePrivately } from '../../../../server/operator/commands/export.ts'
import { exportSource } from '../../../../server/operator/moving/exported-rows.ts'
import { checkSource, importRows } from '../../../../server/operator/moving/import.ts'
import { system } from '../../../../server/system/system.ts'
import { operateOn } from '../../../support/moving.ts'
import { temporaryFolder } from '../../../support/release.ts'
import { startTestService } from '../../../support/service.ts'

const at = (name: string) => join(dir, name)

const dir = temporaryFolder()
const service = await startTestService()
const { publish } = service
await publish.directory('lab')
await publish.investigation('lab')
for (let i = 0; i < 5; i++) await publish.message('lab', `message ${i} \u2028 \u{1f4fb}`)
await operateOn(service.config.database, ['export', at('whole')])
const lines = readFileSync(at('whole'), 'utf8').split(/(?<=\n)/)
const modeOf = (file: string) => statSync(file).mode & 0o777
/** Returns the output of a command, or its error message. */
const outputOf = (run: Promise<unknown>) => run.then(String, (error: Error) => error.message)

let cases = 0
/** Imports a text into a new database. @returns the output, or the error message */
async function importOf(content: string | Buffer, suffix = ''): Promise<string> {
  const file = at(`case-${cases++}${suffix}`)
  writeFileSync(file, content)
  const output = await outputOf(operateOn(`${file}.sqlite`, ['import', file]))
  return output.replaceAll(file, 'FILE')
}

test('an export is a private file with its counts and hash at the end, and never replaces a file', async () => {
  const killed = (name: string, age: number) => {
    mkdirSync(at(name))
    writeFileSync(join(at(name), 'content'), 'incomplete')
    utimesSync(join(at(name), 'content'), new Date(), new Date(Date.now() - age))
  }
  killed('new.gz.partial-killed', 2 * 3_600_000)
  killed('new.gz.partial-active', 60_000)
  killed('new.gz.partial-of-the-operator', 2 * 3_600_000)
  const output = await operateOn(service.config.database, ['export', at('new.gz')])
  expect(output).toMatch(
    /new\.gz: [0-9]+ rows \(.*messages 6.*\)\nSHA-256 of its rows: [0-9a-f]{64}\nmode 0600:/,
  )
  expect(modeOf(at('new.gz'))).toBe(0o600)
  const next = readdirSync(dir).filter((name) => name.startsWith('new.gz'))
  expect(next.sort()).toEqual(['new.gz', 'new.gz.partial-active', 'new.gz.partial-of-the-operator'])
  const unpacked = gunzipSync(readFileSync(at('new.gz')))
    .toString()
    .split(/(?<=\n)/)
  const { end } = JSON.parse(unpacked.pop() as string)
  expect(end.sha256).toBe(createHash('sha256').update(unpacked.join('')).digest('hex'))
  expect(end.counts).toMatchObject({ directories: 1, messages: 6, investigations: 1 })
  expect(await outputOf(operateOn(service.config.database, ['export', at('new.gz')]))).toBe(
    `operator: ${at('new.gz')}: already exists; choose another name`,
  )
})

test('an export into a missing folder names the file that was asked for', async () => {
  const file = at('missing/new.gz')
  expect(await outputOf(operateOn(service.config.database, ['export', file]))).toBe(
    `operator: ${file}: no such file or folder`,
  )
})

test('of two commands that write one file at once, the first to finish succeeds and the other fails', async () => {
  const file = at('twice')
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const slow = async (partial: string) => {
    writeFileSync(partial, 'incomplete')
    begun.resolve()
    await finished.promise
  }
  let second: Promise<unknown> | undefined
  await writePrivately(file, async (partial) => {
    writeFileSync(partial, 'complete')
    second = outputOf(writePrivately(file, slow))
    await begun.promise
  })
  expect(readFileSync(file, 'utf8')).toBe('complete')
  finished.resolve()
  expect(await second).toBe(`${file}: already exists; choose another name`)
  expect(readFileSync(file, 'utf8')).toBe('complete')
  expect(readdirSync(dir).filter((name) => name.startsWith('twice'))).toEqual(['twice'])
})

test('an export contains the key of the address hashes but no signing key', () => {
  expect(lines.filter((line) => line.startsWith('{"settings":{"name":"origin_key"'))).toHaveLength(
    1,
  )
  expect(lines.join('')).not.toContain('PRIVATE KEY')
})

test('an export can be imported, plain and compressed', async () => {
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
  ['invalid UTF-8', () => Buffer.from([0xff, 0x0a]), 'line 1: is not UTF-8'],
  [
    'an export of another schema',
    () => '{"daysignal_export":1,"schema":"9999_later"}\n',
    'line 1: an export of another version of Daysignal (9999_later, here',
  ],
  [
    'a file truncated after a line',
    () => lines.slice(0, 9).join(''),
    'line 9: the rest of the file after this line is missing',
  ],
  [
    'a file truncated within a line',
    () => lines.slice(0, 9).join('').slice(0, -5),
    'line 9: damaged: not a row of an export',
  ],
  [
    'an unknown table',
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
    'a repeated row',
    () => lines.toSpliced(3, 0, lines[3] as string).join(''),
    'the hash or a count does not match the lines before',
  ],
  [
    'a line after the end',
    () => `${lines.join('')}{}\n`,
    'the file continues after the end of the export',
  ],
  [
    'a truncated compressed file',
    () => gzipSync(lines.join('')).subarray(0, 300),
    'unexpected end of file',
    '.gz',
  ],
  ['a file that is not compressed', () => lines.join(''), 'line 1: incorrect header check', '.gz'],
])('%s is rejected with its line, and creates no database', async (_, content, reason, suffix) => {
  const output = await importOf(content(), suffix)
  expect(output).toMatch(/^operator: FILE: line [0-9]+: [^\n]+$/)
  expect(output).toContain(reason)
  expect(
    readdirSync(dir).filter((name) => name === `case-${cases - 1}${suffix ?? ''}.sqlite`),
  ).toEqual([])
})

test('a missing file, a pipe and a folder that is no mirror are each rejected with their path', async () => {
  const importing = (path: string) => outputOf(operateOn(at('none.sqlite'), ['import', path]))
  execFileSync('mkfifo', [at('pipe')])
  expect(await importing(at('pipe'))).toBe(`operator: ${at('pipe')}: is not a regular file`)
  expect(await importing(at('none'))).toBe(`operator: ${at('none')}: no such file or folder`)
  expect(await importing(dir)).toBe(
    `operator: ${dir}: is not a mirror that keeps the records of the days; see mirror --records`,
  )
})

test('inconsistent rows are rejected with their lines', async () => {
  const rows = lines.slice(0, -1).filter((line) => !line.startsWith('{"directories"'))
  const { end } = JSON.parse(lines.at(-1) as string)
  delete end.counts.directories
  end.sha256 = createHash('sha256').update(rows.join('')).digest('hex')
  const output = await importOf(`${rows.join('')}${JSON.stringify({ end })}\n`)
  expect(output).toMatch(
    /^operator: FILE: line [0-9]+ and following: FOREIGN KEY constraint failed$/,
  )
})

test('no row of a file that is replaced after it was checked is imported, and the first file can then be', async () => {
  const [file, address] = [at('replaced'), at('replaced.sqlite')]
  writeFileSync(file, lines.join(''))
  const progress = { show() {}, clear() {} }
  const source = exportSource(file)
  const checked = await checkSource(source, progress)
  const [end = '', ...rows] = lines
    .join('')
    .replace('message 3', 'message 4')
    .split(/(?<=\n)/)
    .reverse()
  const rest = rows.reverse().join('')
  const sha256 = createHash('sha256').update(rest).digest('hex')
  writeFileSync(file, `${rest}${end.replace(checked.sha256, sha256)}`)
  await checkSource(source, progress)
  const database = await openDatabase(address, { clock: system.clock, create: true })
  const importing = importRows(database, { source, checked }, { name: address, progress })
  expect(await outputOf(importing)).toBe(
    `${file}: has changed since it was checked; repeat the import`,
  )
  expect(await isUntouched(database.db)).toBe(true)
  await database.close()
  writeFileSync(file, lines.join(''))
  expect(await outputOf(operateOn(address, ['import', file]))).toMatch(/messages 6/)
})

test('an import requires an empty database', async () => {
  const { database } = service.config
  expect(await outputOf(operateOn(database, ['import', at('whole')]))).toBe(
    `operator: ${database}: is not empty; use an empty database`,
  )
})
