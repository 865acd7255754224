// A program that serves one file at every path and prints its URL: `node --expose-gc serving-file.ts FILE`.
import { statSync } from 'node:fs'
import type { Answer } from '../../../server/http/answer.ts'
import { createTransport } from '../../../server/http/transport.ts'

const path = process.argv[2] as string
const file: Answer['body'] = { path, start: 0, length: statSync(path).size, onBroken: () => {} }

/** Collects garbage, so that all memory left is in use. */
function collect(): string {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return 'collected'
}

const transport = createTransport(
  ({ pathname }) => ({
    status: 200,
    headers: [],
    body: pathname === '/collect' ? collect() : file,
  }),
  {
    log: { error: () => {} },
    limits: { connections: 600, reserved: 0, stalledS: 60, files: 400 },
  },
)
process.stdout.write(await transport.listen(0, '127.0.0.1'))
