// Measures the time from the exec of node, and from npm start, to the first response, with the modules that npm ci compiled.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../support/listen.ts'
import type { Part } from './main.ts'
import { environmentOf, ROOT, START } from './servers.ts'

const RUNS = 7

export const benchStart: Part = async ({ folder }) => {
  const dataDir = join(folder, 'data')
  await startSeconds(dataDir)
  const [again, first] = [[] as number[], [] as number[]]
  for (let run = 0; run < RUNS; run++) {
    again.push(await startSeconds(dataDir))
    const empty = join(folder, `first-${run}`)
    first.push(await startSeconds(empty, ['npm', 'start', '--prefix', ROOT]))
  }
  return [
    { label: 'start to first response [s]', values: again, goal: { most: 0.6 } },
    { label: 'npm start without data to first response [s]', values: first, goal: { most: 1.5 } },
  ]
}

/** Measures a start on a data folder [s], and stops the service. */
async function startSeconds(
  dataDir: string,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, ...START],
): Promise<number> {
  const port = await freePort()
  const all = { PATH: process.env.PATH, ...environmentOf(dataDir, port) }
  const began = performance.now()
  const child = spawn(program, args, { env: all, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(port)))
    if (child.exitCode !== null) throw new Error('the service did not start')
  const seconds = (performance.now() - began) / 1000
  child.kill('SIGTERM')
  await once(child, 'exit')
  return seconds
}

/** Tries once. A refused connection is cheap, so that polling takes little CPU time from the start. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/healthz' }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => setTimeout(() => resolve(false), 5))
  })
}
