// npm run bench: every benchmark, or those that are named (npm run bench -- counters).
import { benchBoard } from './board.ts'
import { benchBrowser } from './browser.ts'
import { benchCounters } from './counters.ts'
import { benchDecoder } from './decoder.ts'
import { benchGrowth } from './growth.ts'
import { benchHttp } from './http.ts'
import { benchHttpMemory } from './http-memory.ts'
import { benchRender } from './render.ts'
import { benchTrust } from './trust.ts'

const PARTS: Record<string, () => Promise<void>> = {
  render: benchRender,
  counters: benchCounters,
  decoder: benchDecoder,
  browser: benchBrowser,
  board: benchBoard,
  http: benchHttp,
  memory: benchHttpMemory,
  trust: benchTrust,
  growth: benchGrowth,
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  console.error(`bench: no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
  process.exitCode = 2
} else {
  for (const [name, bench] of Object.entries(PARTS))
    if (named.length === 0 || named.includes(name)) await bench()
}
