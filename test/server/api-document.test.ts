// Runs every example of server/API.md, and then of pipeline/COMMANDS.md, from top to bottom against one real service.
// Rules: API.md 2.2; COMMANDS.md 6.3.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../archive/base/json.ts'
import { COUNTER_LABELS } from '../../archive/drawing/counter-labels.ts'
import { fieldsOf, snapshotBytes } from '../../archive/format/snapshot.ts'
import { type CounterName, encodeTransmission, writeWav } from '../../protocol/index.ts'
import { LIMITS } from '../../server/publishing/limits.ts'
import { ERROR_STATUS } from '../../server/wire/problem.ts'
import {
  type Day,
  filenameOf,
  makeDay,
  makeManifest,
  makeMessages,
  publish,
} from '../archive/days.ts'
import { snapshot } from '../fixtures/vectors/archive-snapshots.ts'
import { dataEnvironment } from '../support/database.ts'
import { type Block, blocksOf, isAsShown, patternOf, readDocument } from '../support/documents.ts'
import { ROOT } from '../support/imports.ts'
import { operated } from '../support/operator.ts'
import { childEnvironment } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { IN_FULL } from '../support/runs.ts'
import { clockAt, startTestService } from '../support/service.ts'
import { openWriter } from '../support/writers.ts'

const document = readDocument('server/API.md')
const blocks = [...blocksOf(document), ...blocksOf(readDocument('pipeline/COMMANDS.md'))]

const NOW = '2026-11-20T08:30:00.000Z'
/** An empty value counts as unset, so the examples run with the default limits. */
const DEFAULT_LIMITS = Object.fromEntries(
  Object.keys(LIMITS).map((name) => [`LIMIT_${name.toUpperCase()}`, '']),
)

const COUNTER_NAMES = snapshot().counters as Record<CounterName, string>

/** The same day with the WAV that the pipeline renders, since the document shows its size. */
function withPublishedSound({ snapshot, media }: Day): Day {
  const published = { ...media, wav: writeWav(encodeTransmission(fieldsOf(snapshot))) }
  return { snapshot, media: published, manifest: makeManifest(snapshot, published) }
}

const folder = temporaryFolder()
const service = await startTestService(DEFAULT_LIMITS, clockAt(NOW))
const first = makeDay('2026-11-18', null)
const { records, leaves } = makeMessages(1, Number(COUNTER_NAMES.messages))
const newest = withPublishedSound(
  makeDay('2026-11-19', first, { counters: COUNTER_NAMES, records }),
)
newest.manifest.media.mp4 = { available: false, reason: 'ffmpeg_not_found' }
const writer = await openWriter(service.archiveDir, { create: true })
await publish(writer, first)
await publish(writer, { ...newest, leaves })
writeFileSync(join(folder, '2026-11-19.json'), snapshotBytes(newest.snapshot))

/** An HTTP message as the document shows it. */
interface Shown {
  /** The request line or the status line. */
  first: string
  headers: [name: string, value: string][]
  body: string
}

function messageOf({ text }: Block): Shown {
  const [head = '', ...body] = text.split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const headers = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    return [name, value]
  })
  return { first, headers, body: body.join('\n\n') }
}

/** Fills in the hash of the day's WAV, which the document leaves open. */
const filled = (text: string) => text.replaceAll('{wav}', filenameOf(newest, 'wav').slice(0, 64))

async function play(request: Block, answer: Block): Promise<void> {
  if (request.note) await service.restart(Object.fromEntries([request.note.split('=')]))
  const { first, headers, body } = messageOf({ ...request, text: filled(request.text) })
  const [method = '', path = ''] = first.split(' ')
  const init = { headers, ...(body && { body }) }
  const reply = await service.client.send(method, path, init)
  if (request.note) await service.restart()
  const shown = messageOf({ ...answer, text: filled(answer.text) })
  expect(shown.first).toMatch(new RegExp(`^HTTP/1\\.1 ${reply.status} [A-Z]`))
  for (const [name, value] of shown.headers)
    expect(reply.headers.get(name) ?? 'none', name).toMatch(patternOf(value))
  if (shown.body.startsWith('{')) expectJson(reply.text, shown.body)
  else if (shown.body)
    expect(reply.text.replaceAll('\r\n', '\n').trim()).toMatch(patternOf(shown.body))
}

function expectJson(text: string, shown: string): void {
  const [actual, expected] = [parseJson(text), parseJson(shown)]
  if (!isAsShown(actual, expected)) expect(actual).toEqual(expected)
}

/** An operator's command that reads and writes no file. */
const OPERATION = /^npm run --silent operator -- (?!export )(.*)$/s

/** Whether npm test leaves out a command: one that is run in a shell. */
const isLong = (line: string) => !OPERATION.test(line)

/** Runs a command line on the service's data. */
async function paste(line: string): Promise<string> {
  const [, operation] = OPERATION.exec(line) ?? []
  return operation === undefined ? pasteInShell(line) : operated(service, ...wordsOf(operation))
}

/** Splits a command line into its words, as a shell does. */
function wordsOf(line: string): string[] {
  const words = line.replaceAll('\\\n', '').matchAll(/'([^']*)'|(\S+)/g)
  return [...words].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/** Runs a command line in a shell, with this Node. */
async function pasteInShell(line: string): Promise<string> {
  const { scripts } = JSON.parse(readDocument('package.json')) as {
    scripts: Record<string, string>
  }
  const program = `$1'${process.execPath}' $2'${ROOT}/$3'`
  const command = line
    .replace(/npm run --silent (\w+) --/, (_, name: string) => scripts[name] ?? name)
    .replace(/^exec (env .* )?node (--\S+ )?(\S+)/, program)
    .replace('http://127.0.0.1:3000', service.url)
  const env = childEnvironment(dataEnvironment(service.dataDir))
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder, env })
  return stdout
}

describe('examples of API.md and COMMANDS.md', () => {
  test('the examples are pairs of a request and its response, or of commands and their output', () => {
    const languages = blocks.map(({ language, text }) =>
      text.startsWith('HTTP/1.1 ') ? 'answer' : language,
    )
    const pairs = languages.join(' ').match(/http answer|sh json/g)
    expect(pairs).toHaveLength(blocks.length / 2)
    expect(blocks.length).toBeGreaterThan(50)
  })

  test('the text before an example names the setting that its service starts with', () => {
    for (const { note } of blocks)
      if (note)
        expect(document).toContain(`With \`${note}\` (OPERATING.md 2.1):\n\n\`\`\`http ${note}`)
  })

  for (const [i, block] of blocks.entries()) {
    const output = blocks[i + 1] as Block
    const title = block.text.split('\n')[0]
    if (block.language === 'http' && !block.text.startsWith('HTTP/1.1 '))
      test(`example ${i / 2 + 1} gets the documented response: ${title}`, () => play(block, output))
    if (block.language === 'sh')
      test.runIf(IN_FULL || !isLong(block.text))(
        `example ${i / 2 + 1} has the documented output: ${title}`,
        async () => {
          let text = ''
          for (const line of block.text.split(/(?<!\\)\n/)) text = await paste(line)
          expectJson(text, output.text)
        },
      )
  }
})

describe('tables of API.md', () => {
  const rows = (pattern: RegExp) => [...document.matchAll(pattern)].map(([, a, b]) => [a, b])

  test('the table of errors lists every error code with its status', () => {
    const listed = rows(/^\| (\d{3}) \| `(\w+)` \|/gm).map(([status, code]) => [
      code,
      Number(status),
    ])
    expect(Object.fromEntries(listed)).toMatchObject(ERROR_STATUS)
    expect(new Set(listed.map(([code]) => code)).size).toBe(listed.length)
  })

  test('the table of limits lists every limit with its default', () => {
    const listed = rows(/^\| `(\w+_(?:minute|hour|day))` \| (\d+) \|/gm)
    const defaults = Object.entries(LIMITS).map(([name, limit]) => [name, String(limit.byDefault)])
    expect(listed).toEqual(defaults)
  })

  test('the table of counters lists the name of every counter, in the order of the frame', () => {
    const listed = rows(/^\| `(\w+)` \| ([A-Z][\w, ]+) \|$/gm)
    expect(listed).toEqual(Object.entries(COUNTER_LABELS))
  })
})
