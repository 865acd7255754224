// From the exec of node to the first answer, with and without compiled modules in the cache folder.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { Part } from './main.ts'
import { environmentOf, START } from './servers.ts'

const RUNS = 7

export const benchStart: Part = async ({ folder }) => {
  const dataDir = join(folder, 'data')
  await startSeconds(dataDir)
  const [cold, warm] = [[] as number[], [] as number[]]
  for (let run = 0; run < RUNS; run++) {
    rmSync(join(dataDir, '.cache'), { recursive: true })
    cold.push(await startSeconds(dataDir))
    warm.push(await startSeconds(dataDir))
  }
  return [
    { what: 'start to first answer, warm compile cache [s]', values: warm, goal: { most: 0.6 } },
    { what: 'start to first answer, cold [s]', values: cold, goal: { most: 1 } },
  ]
}

/** How long a start takes on a folder of data; the service is stopped then. */
export async function startSeconds(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<number> {
  const port = await freePort()
  const all = { PATH: process.env.PATH, ...environmentOf(dataDir, port), ...env }
  const began = performance.now()
  const child = spawn(process.execPath, START, { env: all, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(port)))
    if (child.exitCode !== null) throw new Error('the service did not start')
  const seconds = (performance.now() - began) / 1000
  child.kill('SIGTERM')
  await once(child, 'exit')
  return seconds
}

/** Asks once. A refused connection costs little; a client that tried for longer would take time from the start. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get({ port, host: '127.0.0.1', path: '/healthz' }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asking.on('error', () => setTimeout(() => resolve(false), 5))
  })
}
