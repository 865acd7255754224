// The worker thread of the decoder pool: decodes each WAV file that it receives.
import { parentPort } from 'node:worker_threads'
import { decodeWav } from '../../protocol/receiver/index.ts'

parentPort?.on('message', (wav: Uint8Array) => parentPort?.postMessage(decodeWav(wav)))
