// Decodes files in a worker, so that the page stays usable. It reads a file in pieces: an hour of sound is never in
// memory as a whole.
import { type Decoding, WavDecoder } from '../../../protocol/index.ts'
import type { Report } from './decode-report.ts'

const PIECE_BYTES = 1 << 20

addEventListener('message', async ({ data: file }: MessageEvent<File>) => {
  try {
    report({ kind: 'decoded', decoding: await decodeFile(file) })
  } catch (error) {
    report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
report({ kind: 'ready' })

async function decodeFile(file: File): Promise<Decoding> {
  const decoder = new WavDecoder()
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    const piece = file.slice(at, at + PIECE_BYTES)
    decoder.push(new Uint8Array(await piece.arrayBuffer()))
    report({ kind: 'progress', fraction: Math.min(1, (at + PIECE_BYTES) / file.size) })
  }
  return decoder.end()
}

function report(message: Report): void {
  postMessage(message)
}
