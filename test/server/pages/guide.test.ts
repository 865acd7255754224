// The guide for programs and the front page: every command works when pasted, in the given order, and every response is
// the documented one.
// Rules: API.md 2.5-2.6.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { LIMITS } from '../../../server/publishing/limits.ts'
import { ERROR_STATUS } from '../../../server/wire/problem.ts'
import { operated } from '../../support/operator.ts'
import { findProgram } from '../../support/programs.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const curl = findProgram('curl')
const run = promisify(execFile)

const NOW = '2026-11-20T12:00:00.000Z'

/** Starts a service with default settings and two archived days. */
async function start(): Promise<TestService> {
  const service = await startTestService({ LOG_ORIGIN: 'board.example' }, clockAt(NOW))
  const records = {
    count: '5',
    first_message_id: '1',
    last_message_id: '5',
    root: '0'.repeat(64),
  }
  await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'], {
    '2026-11-19': { media: { mp4: null }, records },
  })
  return service
}

/** Runs a command in a shell. */
async function paste(line: string): Promise<string> {
  return (await run('bash', ['-c', line])).stdout
}

interface Example {
  commands: string[]
  /** The response that follows the commands, if any. */
  answer: string | undefined
  /** The word after `json` in its fence: only the shape of such a response is compared. */
  shape: string
}

/** Pairs the fenced blocks of the guide: commands with the response below them. */
function examplesOf(guide: string): Example[] {
  const blocks = [...guide.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)\n```$/gms)]
  const examples: Example[] = []
  for (const [, language, shape = '', content = ''] of blocks) {
    const last = examples.at(-1)
    if (language === 'sh')
      examples.push({ commands: content.split('\n'), answer: undefined, shape: '' })
    else if (last?.answer === undefined && last) Object.assign(last, { answer: content, shape })
    else examples.push({ commands: [], answer: content, shape })
  }
  return examples
}

/** Ignores times, which differ between the guide and the test. */
const withoutTimes = (text: string): unknown =>
  JSON.parse(text, (key, value) => (/_at$/.test(key) ? 'a time' : value))

/** Reduces a value to its keys and types. An empty object in the model matches any object. */
function shapeOf(value: unknown, model: unknown): unknown {
  if (value === null || model === null) return null
  if (Array.isArray(value) && Array.isArray(model))
    return value.slice(0, 1).map((item) => shapeOf(item, model[0] ?? item))
  if (typeof value !== 'object' || typeof model !== 'object') return typeof value
  const entries = Object.entries(Object.keys(model).length === 0 ? {} : value)
  return Object.fromEntries(
    entries.map(([key, item]) => [key, shapeOf(item, (model as Record<string, unknown>)[key])]),
  )
}

function expectShape(answer: string, example: string): void {
  const [value, model] = [answer, example].map((text) => JSON.parse(text))
  expect(shapeOf(value, model)).toEqual(shapeOf(model, value === null ? value : model))
}

describe.skipIf(curl === undefined)('the guide', () => {
  let service: TestService
  let guide: string
  beforeAll(async () => {
    service = await start()
    guide = (await service.client.get('/llms.txt')).text
  })

  test('the guide is plain text that names the host of the request', async () => {
    const { headers } = await service.client.get('/llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(guide).toContain(`${service.url}/api/v1/messages`)
    expect(guide).not.toContain('{base_url}')
  })

  test('the guide has the form of llmstxt.org: title, summary, details without headings, lists of links', () => {
    const [details = '', ...sections] = guide.split(/^##[ ]*/m)
    expect(details).toMatch(/^# Daysignal\n\n> .+\n\n/)
    expect(details.slice(2)).not.toMatch(/^#/m)
    expect(sections.length).toBeGreaterThan(1)
    for (const section of sections) {
      const [name, ...lines] = section.trim().split(/\n+/)
      expect(name).toMatch(/^[A-Z]\w+$/)
      for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(http[^)]+\): .+$/)
    }
  })

  test('the service gives the documented response to every command', {
    timeout: 120_000,
  }, async () => {
    const examples = examplesOf(guide)
    const exact = examples.filter(({ commands, shape }) => commands.length > 0 && shape === '')
    expect(exact.length).toBeGreaterThan(10)
    for (const { commands, answer, shape } of examples) {
      for (const command of commands) {
        const output = await paste(command)
        if (answer === undefined) expect(JSON.parse(output), command).toHaveProperty('message_id')
        else if (shape) expectShape(output, answer)
        else expect(withoutTimes(output), command).toEqual(withoutTimes(answer))
      }
    }
  })

  test('the manifest, the review and the action in the guide have the shape of real ones', async () => {
    const models = new Map(examplesOf(guide).map(({ shape, answer = '' }) => [shape, answer]))
    const manifest = await service.client.get('/transmissions/2026-11-19.manifest.json')
    expectShape(manifest.text, models.get('manifest') ?? '')
    const options = ['--outcome', 'substantiated', '--reason', 'r', '--evidence-note', 'n']
    await operated(service, 'review', '3', ...options)
    const { json } = await service.client.get('/investigations/1.json?limit=1')
    const [entry] = (json as { entries: { review: object }[] }).entries
    const review = JSON.stringify(entry?.review, (_, item) =>
      typeof item === 'bigint' ? Number(item) : item,
    )
    expectShape(review, models.get('review') ?? '')
    const { text } = await service.client.get('/api/v1/moderation')
    expectShape(text, models.get('moderation') ?? '')
  })

  test('the inline commands of the guide work', async () => {
    const inline = [...guide.matchAll(/`(curl [^`]+)`/g)].map(([, command]) => command ?? '')
    expect(inline.length).toBeGreaterThan(0)
    const { json } = await service.client.get('/messages/1.json')
    const { body_hash } = json as { body_hash: string }
    for (const command of inline) expect(await paste(command)).toContain(body_hash)
  })

  test('the guide lists every error code with its status', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS))
      expect(guide, code).toMatch(new RegExp(`^(?=.*\`${code}\`).*${status}`, 'm'))
  })

  test('the guide states the rate limits that the service starts with', () => {
    const line = guide.split('\n').find((text) => text.startsWith('**Limits**')) ?? ''
    for (const { byDefault } of Object.values(LIMITS)) expect(line).toContain(String(byDefault))
  })

  test('the guide calls the counters what the pages and pictures call them', () => {
    expect(guide).toContain(`call them ${Object.values(COUNTER_LABELS).join('; ')}.`)
  })

  test('the guide and openapi.json name BASE_URL if it is set', async () => {
    await service.restart({ BASE_URL: 'https://board.example/' })
    expect((await service.client.get('/llms.txt')).text).toContain('https://board.example/api/v1')
    const { json } = await service.client.get('/openapi.json')
    expect(json).toMatchObject({ servers: [{ url: 'https://board.example' }] })
  })
})
