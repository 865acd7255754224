// A process that serves one file to whoever asks, and prints its address: `node serving-file.ts FILE`.
import { statSync } from 'node:fs'
import { createTransport } from '../../../server/http/transport.ts'

const path = process.argv[2] as string
const body = { path, start: 0, length: statSync(path).size, onBroken: () => {} }
const limits = { connections: 600, stalledS: 60, files: 400 }
const transport = createTransport(() => ({ status: 200, headers: [], body }), limits)
process.stdout.write(await transport.listen(0, '127.0.0.1'))
