// Compares pages of 50 out of 1,000,000 messages with bare h3 that sends the same bytes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { boardOfMillion, MILLION } from './boards.ts'
import { compare, type Load, ratioRow, scriptFile, wrkArgs } from './load.ts'
import type { Part } from './main.ts'
import { type BenchServer, CLIENT_CORE } from './servers.ts'

const AMONG_LAST = 10_000
const pageAfter = (id: number) => `/api/v1/messages?after=${id}&limit=50`
/** Longer than the comparison, which stops the writer at its end. */
const WRITING_S = 600
/** Between two messages: 1,200 a minute, the default limit. */
const WRITER_PAUSE_MS = 50

const RANDOM_PAGES = `
function request()
  return wrk.format('GET', '/api/v1/messages?limit=50&after=' .. math.random(${MILLION - AMONG_LAST}, ${MILLION - 50}))
end
`

export const benchPages: Part = async (stage) => {
  const ours = await stage.startOurs(await boardOfMillion(stage))
  const path = pageAfter(MILLION - AMONG_LAST)
  const bare = await stage.startBare('h3', await (await fetch(ours.url + path)).bytes())
  const same: Load = { path, connections: 16 }
  const repeated = compare([ours, same], [bare, same])
  const writer = startWriter(ours, scriptFile(stage.folder, luaWriter('d1')))
  try {
    const random = { ...same, script: scriptFile(stage.folder, RANDOM_PAGES) }
    const atRandom = compare([ours, random], [bare, same])
    return [
      ratioRow(
        'page of 50 at random, one writer posting / bare h3',
        'CPU',
        { most: 3.5 },
        atRandom,
      ),
      ratioRow('page of 50 repeated / bare h3', 'CPU', { most: 1.5 }, repeated),
    ]
  } finally {
    await end(writer)
  }
}

/** A script for wrk that publishes one message after another, with a pause. */
const luaWriter = (directory: string) => `
wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.body = '{"directory":"${directory}","body":"${'x'.repeat(300)}"}'
function delay() return ${WRITER_PAUSE_MS} end
`

function startWriter(server: BenchServer, script: string): ChildProcess {
  const load = { path: '/api/v1/messages', connections: 1, script }
  const args = ['-c', CLIENT_CORE, 'wrk', ...wrkArgs(server, load, WRITING_S)]
  return spawn('taskset', args, { stdio: 'ignore' })
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}
