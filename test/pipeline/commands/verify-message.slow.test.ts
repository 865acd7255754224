// Tests npm run verify with --receipt, --message and --text, on the files that a visitor downloads.
// Rules: API.md 9.11; COMMANDS.md 3.2.

import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../archive/base/json.ts'
import { parseHtml } from '../../server/pages/html.ts'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment, endOf, runNode } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const CLI = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands', 'verify.ts')
const DAY = '2026-11-18'

let root: string
let service: TestService
let key: string

const NAMED = { BASE_URL: 'https://board.example' }

beforeAll(async () => {
  root = temporaryFolder()
  const clock = clockAt(`${DAY}T08:00:00Z`)
  service = await startTestService(NAMED, clock)
  const publish = publisherOf(service.client)
  await publish.directory('garden')
  for (const body of ['Frost last night.', 'None today.', 'And now?'])
    await publish.message('garden', body)
  await publish.investigation('garden', { title: 'Thaw', body: 'What thaws first?' })
  clock.passTo('2026-11-20T08:00:00Z')
  await sealDays(service.dataDir, [DAY], clock.now(), NAMED)
  key = (await service.client.get('/transmissions/key')).text.trimEnd()
  for (const id of [2, 4])
    for (const name of [`${id}.receipt`, `${id}.json`, `${id}.txt`])
      writeFileSync(join(root, name), (await service.client.get(`/messages/${name}`)).text)
})

/** Runs verify in the visitor's folder, as a child process so that the service can respond. */
const verify = (args: string[], env: Record<string, string> = {}) =>
  runNode([CLI, ...args], { cwd: root, env })

const FILES = ['--receipt', '2.receipt', '--message', '2.json', '--text', '2.txt']

test('verify compares record and text, for a folder and for a service, and exits 0', async () => {
  for (const place of [service.archiveDir, service.url]) {
    const { status, stdout, stderr } = await verify([...FILES, '--key', key, place])
    expect([status, stderr]).toEqual([0, ''])
    const [sentence, ...steps] = stdout.trimEnd().split('\n')
    expect(sentence).toMatch(
      /^This message is the 2nd of 4 in 2026-11-18, sealed at .* and signed by board\.example\/transmissions\.$/,
    )
    expect(steps.map((line) => /^good ([^:]+):/.exec(line)?.[1])).toEqual([
      'receipt',
      'text',
      'message',
      'log',
      'manifest',
      'records',
      'kept',
    ])
  }
})

test('the record of a question in its investigation gives the whole leaf, its own record all but the entry', async () => {
  const { text } = await service.client.get('/investigations/1.json')
  const { investigation } = parseJson(text) as { investigation: unknown }
  writeFileSync(join(root, 'question.json'), stringifyJson(investigation))
  for (const [record, step] of [
    ['question.json', /^good message: message 4 gives the leaf$/m],
    ['4.json', /^good message: message 4 gives the leaf; its entry is not in the record/m],
  ] as const) {
    const files = ['--receipt', '4.receipt', '--message', record]
    const { status, stdout } = await verify([...files, service.archiveDir])
    expect(stdout).toMatch(step)
    expect(status).toBe(0)
  }
})

test('the commands on the page of a message download its receipt and judge it', async () => {
  const page = await service.client.get('/messages/2', { accept: 'text/html' })
  const blocks = [...page.text.matchAll(/<pre class="command">(<code>.*?<\/code>)<\/pre>/gs)]
  const command = parseHtml(blocks.at(-1)?.[1] ?? '').text
  symlinkSync(ROOT, join(root, 'daysignal'))
  const here = command.replaceAll(NAMED.BASE_URL, service.url)
  const child = spawn('sh', ['-c', here], { env: childEnvironment({ HOME: root }) })
  const { status, stdout, stderr } = await endOf(child)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^This message is the 2nd of 4 in [^\n]+\n(?:good [^\n]+\n){6}$/)
})

test('a different text or record ends the steps, and verify exits 1', async () => {
  writeFileSync(join(root, 'other.txt'), 'Frost last night!')
  const last = async (...args: string[]) => {
    const { status, stdout } = await verify(['--receipt', '2.receipt', ...args, service.url])
    const lines = stdout.trimEnd().split('\n')
    return [status, lines[0], lines.at(-1)]
  }
  const refuted = (sentence: string, reason: string) => [
    1,
    sentence,
    expect.stringMatching(`^bad {2}refuted: ${reason}`),
  ]
  expect(await last('--text', 'other.txt')).toEqual(
    refuted('Your text is not the one that the receipt is of.', 'the text does not'),
  )
  expect(await last('--message', '4.json')).toEqual(
    refuted(
      'Your record is not that of the message that the receipt is of.',
      'the record of the message does not',
    ),
  )
})
