// Decodes files in a worker, so that the page stays usable. It reads a file in pieces: an hour of sound is never in
// memory as a whole.
import { type Decoding, WavDecoder } from '../../../protocol/index.ts'
import { exampleRecording } from './decode-example.ts'
import { LevelMeter } from './decode-levels.ts'
import type { Report, Task } from './decode-report.ts'

const PIECE_BYTES = 1 << 20

addEventListener('message', async ({ data: task }: MessageEvent<Task>) => {
  if (task.kind === 'example') {
    report({ kind: 'example', bytes: Uint8Array.from(exampleRecording()) })
    return
  }
  try {
    report({ kind: 'decoded', decoding: await decodeFile(task.file) })
  } catch (error) {
    report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
report({ kind: 'ready' })

async function decodeFile(file: File): Promise<Decoding> {
  let meter: LevelMeter | undefined
  let heard: Uint8Array[] = []
  const decoder = new WavDecoder((block, rate) => {
    meter ??= new LevelMeter(rate)
    heard.push(meter.push(block))
  })
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    const piece = file.slice(at, at + PIECE_BYTES)
    decoder.push(new Uint8Array(await piece.arrayBuffer()))
    const fraction = Math.min(1, (at + PIECE_BYTES) / file.size)
    report({ kind: 'progress', fraction, levels: joined(heard) })
    heard = []
  }
  return decoder.end()
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

function report(message: Report): void {
  postMessage(message)
}
