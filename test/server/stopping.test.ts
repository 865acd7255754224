// Tests how signals stop the long-running commands, under the real `npm` and in a process group.
// Rules: OPERATING.md 2.3.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { IN_FULL, inFull } from '../support/runs.ts'
import { elapse, until } from '../support/time.ts'

const ROOT = new URL('../..', import.meta.url)
/** npm forwards its signal within milliseconds; a slow machine needs longer. */
const SIGNALS_APART_MS = 50

let folder: string
let command: ChildProcess
let printed: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  if (command.exitCode === null && command.signalCode === null) signalGroup('SIGKILL')
})

/** Starts an npm script at the head of a process group of its own. */
function start(script: string, env: Record<string, string>): void {
  printed = ''
  command = spawn('npm', ['run', '--silent', script], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment({ HOME: process.env.HOME ?? '', TMPDIR: folder, PORT: '0', ...env }),
  })
  for (const stream of [command.stdout, command.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
}

/** Signals every process of the group, as a terminal, `kill -- -PGID` and systemd do. */
const signalGroup = (signal: NodeJS.Signals) => process.kill(-(command.pid as number), signal)

async function untilPrinted(pattern: RegExp): Promise<string> {
  await until(() => pattern.test(printed) || command.exitCode !== null)
  if (!pattern.test(printed)) throw new Error(`ended early: ${printed}`)
  return pattern.exec(printed)?.[1] as string
}

async function exit(): Promise<{ code: number | null; signal: string | null }> {
  const [code, signal] = await once(command, 'exit')
  return { code, signal }
}

/** Sends a POST without the rest of its body; `finish` sends it and resolves with the response. */
async function slowPost(url: URL, path: string, body: object) {
  const socket = connect(Number(url.port), url.hostname)
  const response = text(socket)
  const bytes = JSON.stringify(body)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes.slice(0, 1)}`,
  )
  await fetch(new URL('/healthz', url))
  return {
    finish: () => {
      socket.write(bytes.slice(1))
      return response
    },
  }
}

const startServer = (env: Record<string, string> = {}) =>
  start('start', { DATA_DIR: join(folder, 'data'), SCHEDULE: 'off', ...env })
const serverUrl = async () => new URL(await untilPrinted(/listens on (http\S+\/)/))

/** A program that sends itself SIGTERM before it loads the module with the given end of its URL. */
const signalAt = (module: string) => `
  import { registerHooks } from 'node:module'
  let sent = false
  registerHooks({ load(url, context, next) {
    if (!sent && url.endsWith(${JSON.stringify(module)})) process.kill(process.pid, 'SIGTERM')
    sent ||= url.endsWith(${JSON.stringify(module)})
    return next(url, context)
  } })`

describe('a signal during the start', () => {
  test.each([
    ['server/start.js', 'server/main.ts'],
    ...(IN_FULL
      ? [
          ['server/start.js', 'kysely/dist/index.js'],
          ['server/demo/start.js', 'server/demo/main.ts'],
        ]
      : []),
  ])('%s exits with 0 when it comes before %s is loaded', async (program, module) => {
    const hook = `data:text/javascript,${encodeURIComponent(signalAt(module))}`
    command = spawn(process.execPath, ['--import', hook, program], {
      cwd: ROOT,
      detached: true,
      stdio: 'ignore',
      env: childEnvironment({
        TMPDIR: folder,
        DATA_DIR: join(folder, 'data'),
        PORT: '0',
        SCHEDULE: 'off',
      }),
    })
    expect(await exit()).toEqual({ code: 0, signal: null })
    expect(readdirSync(folder).filter((name) => name.startsWith('daysignal-demo-'))).toEqual([])
  })
})

describe('npm start', () => {
  inFull.each(['SIGINT', 'SIGTERM'] as const)(
    'a second %s to the process group still lets the in-flight request finish and exits 0',
    async (signal) => {
      startServer()
      const url = await serverUrl()
      const post = await slowPost(url, '/api/v1/directories', { path: 'lab' })
      signalGroup(signal)
      await untilPrinted(/stopping/)
      await elapse(SIGNALS_APART_MS, 'npm forwards the first signal')
      signalGroup(signal)
      const ended = exit()
      const response = await post.finish()
      expect(response).toMatch(/^HTTP\/1\.1 201 /)
      expect(response).toMatch(/^connection: close\r$/im)
      expect(await ended).toEqual({ code: 0, signal: null })
    },
  )

  inFull('many signals of both kinds at once stop the service with exit code 0', async () => {
    startServer()
    await serverUrl()
    const ended = exit()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) signalGroup(signal)
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  inFull('a signal during a run of the pipeline stops both', async () => {
    startServer({ SCHEDULE: '0 0 1 2 *' })
    await serverUrl()
    const ended = exit()
    signalGroup('SIGINT')
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})

describe('npm run demo', () => {
  inFull(
    'a signal sent twice to the process group stops the demo and removes its folder',
    async () => {
      // The demo has no object store, so it must ignore this setting of a real service.
      start('demo', { MEDIA_REDIRECT: '1' })
      await serverUrl()
      const folders = () => readdirSync(folder).filter((name) => name.startsWith('daysignal-demo-'))
      expect(folders()).toHaveLength(1)
      const ended = exit()
      signalGroup('SIGINT')
      await untilPrinted(/stopping/)
      signalGroup('SIGINT')
      expect(await ended).toEqual({ code: 0, signal: null })
      expect(folders()).toEqual([])
    },
  )
})
