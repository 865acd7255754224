// Generates a typed client from /openapi.json with openapi-typescript and its defaults, compiles the shortest correct
// calls with it, and sends them to the service.
// Rules: API.md 2.5-2.6.
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { startTestService } from '../../support/service.ts'

/** openapi-typescript needs the compiler's programming interface, which TypeScript 7 does not have. */
const TYPESCRIPT_5 = `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})`

const CALLS = `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' })
const answers = [
  await client.POST('/api/v1/directories', { body: { path: 'garden' } }),
  await client.POST('/api/v1/messages', { body: { directory: 'garden', body: 'Frost last night.' } }),
  await client.POST('/api/v1/investigations', {
    body: { directory: 'garden', title: 'Thaw', body: 'What thaws first?', sources: [{ url: 'https://example.org/' }] },
  }),
  await client.POST('/api/v1/investigations/{id}/contributions', {
    params: { path: { id: 1 } },
    body: { kind: 'observation', body: 'The lawn.' },
  }),
  await client.GET('/api/v1/messages'),
  await client.GET('/messages/{id}.json', { params: { path: { id: 1 } } }),
  await client.GET('/api/v1/investigations/{id}', { params: { path: { id: 1 } } }),
  await client.GET('/transmissions/index.json'),
]
console.log(answers.map(({ response }) => response.status).join(' '))
`

/** Runs a program with Node in the client's folder. */
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: dir, env: childEnvironment() })

const dir = temporaryFolder()
const service = await startTestService()
symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
writeFileSync(join(dir, 'typescript-5.js'), TYPESCRIPT_5)
writeFileSync(join(dir, 'openapi.json'), (await service.client.get('/openapi.json')).text)
const generator = 'node_modules/openapi-typescript/bin/cli.js'
await run('--import', './typescript-5.js', generator, 'openapi.json', '--output', 'schema.d.ts')

/** Compiles a client as a strict project would. @returns the compiler's output, empty without an error */
async function compile(calls: string): Promise<string> {
  writeFileSync(join(dir, 'client.ts'), calls)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext']
  const more = ['--types', 'node', '--skipLibCheck', '--allowImportingTsExtensions']
  return run('node_modules/typescript/bin/tsc', ...options, ...more, 'client.ts').then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout as string,
  )
}

test('the shortest correct calls compile, and the service accepts them', async () => {
  expect(await compile(CALLS)).toBe('')
  expect((await run('client.ts', service.url)).stdout).toBe('201 201 201 201 200 200 200 200\n')
})

inFull('a call without a required property does not compile', async () => {
  expect(await compile(CALLS.replace("directory: 'garden', body: 'Frost", "body: 'Frost"))).toMatch(
    /^client\.ts\(7,.*Property 'directory' is missing/s,
  )
})

test('no schema of a request has a default', async () => {
  const { components } = JSON.parse((await service.client.get('/openapi.json')).text)
  expect(JSON.stringify(components.schemas)).not.toContain('"default"')
})
