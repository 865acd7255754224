// Decodes files in a worker, so that the page stays responsive. Files are read in chunks, so that an hour of sound is
// never in memory at once.
import { type Decoding, WavDecoder } from '../../../protocol/receiver/index.ts'
import { exampleRecording } from './decode-example.ts'
import { LevelMeter } from './decode-levels.ts'
import type { Report, Task } from './decode-report.ts'

const CHUNK_BYTES = 1 << 20

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
  let levels: Uint8Array[] = []
  const decoder = new WavDecoder((block, rate) => {
    meter ??= new LevelMeter(rate)
    levels.push(meter.push(block))
  })
  // A file of another format is known as such at once, however large it is.
  for (let at = 0; at < file.size && !decoder.isDone; at += CHUNK_BYTES) {
    const chunk = file.slice(at, at + CHUNK_BYTES)
    decoder.push(new Uint8Array(await chunk.arrayBuffer()))
    const fraction = Math.min(1, (at + CHUNK_BYTES) / file.size)
    report({ kind: 'progress', fraction, levels: joined(levels) })
    levels = []
  }
  return decoder.end()
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

function report(message: Report): void {
  postMessage(message)
}
