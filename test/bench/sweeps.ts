// Hides and shows a directory of 200,000 messages while 16 writers publish, and measures the longest write.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { boardOfMillion } from './boards.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import { type BenchServer, post } from './servers.ts'

const OPERATOR = fileURLToPath(new URL('../../server/operator/main.ts', import.meta.url))
const WRITERS = 16

export const benchSweeps: Part = async (stage) => {
  const dataDir = await boardOfMillion(stage)
  const server = await stage.startOurs(dataDir)
  const rows: Row[] = []
  for (const act of ['hide', 'show']) {
    const began = performance.now()
    const worst = await whileWriting(server, () => operate(dataDir, act))
    const detail = `in ${((performance.now() - began) / 1000).toFixed(1)} s`
    const label = `${act} 200,000 messages with ${WRITERS} writers, longest write [s]`
    rows.push({ label, values: [worst / 1000], goal: { most: 1 }, detail })
  }
  return rows
}

async function operate(dataDir: string, act: string): Promise<void> {
  const args = [OPERATOR, act, 'directory', 'big', '--reason', 'a bench']
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${act} exited with ${code}`)
}

/** Publishes from all writers until the work has ended. @returns the duration of the longest write [ms] */
async function whileWriting(server: BenchServer, work: () => Promise<void>): Promise<number> {
  let isWriting = true
  let worst = 0
  const writer = async (i: number) => {
    while (isWriting) {
      const began = performance.now()
      await post(server, '/api/v1/messages', { directory: `d${1 + i}`, body: 'x'.repeat(300) })
      worst = Math.max(worst, performance.now() - began)
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, i) => writer(i)))
  await work().finally(() => {
    isWriting = false
  })
  await writers
  return worst
}
