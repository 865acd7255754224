// Tests that a process returns memory to the system once it is idle.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ROOT } from '../support/imports.ts'
import { childEnvironment } from '../support/programs.ts'

/** Allocates some 200 MB, drops it, and prints which part of it is left once half is gone, or after 15 s. */
const BURST = (then: string) => `
  import { collectWhenIdle } from '${ROOT}/server/memory.ts'
  const { rss } = process.memoryUsage
  const before = rss()
  let burst = Array.from({ length: 4e6 }, (_, i) => ({ i }))
  const taken = rss() - before
  const partLeft = () => (rss() - before) / taken
  burst = null
  ${then}
  const end = performance.now() + 15_000
  setInterval(() => {
    const left = partLeft()
    if (left > 0.5 && performance.now() < end) return
    console.log(left)
    process.exit()
  }, 50)
`

async function partLeft(then: string): Promise<number> {
  const args = ['--expose-gc', '--input-type=module', '--eval', BURST(then)]
  const child = spawn(process.execPath, args, {
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [left] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return Number(left)
}

test('a process that was busy returns its memory once it is idle', async () => {
  expect(await partLeft('collectWhenIdle(500)')).toBeLessThan(0.5)
})
