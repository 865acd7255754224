// Decodes files in a worker, so that the page stays responsive. Files are read in chunks, so that an hour of sound is
// never in memory at once. The page that listens has a second one for its microphone.
import { type Decoding, Receiver, WavDecoder } from '../../../../protocol/receiver/index.ts'
import { ListenSession } from '../listen/session.ts'
import { exampleRecording } from './example.ts'
import { levelMeter } from './levels.ts'
import type { Captured, Report, Task } from './report.ts'

const CHUNK_BYTES = 1 << 20
/** The samples of a file that the browser opened are decoded in blocks of this length [s]. */
const BLOCK_SECONDS = 4

let session: ListenSession | undefined

addEventListener('message', async ({ data: task }: MessageEvent<Task>) => {
  switch (task.kind) {
    case 'example':
      report({ kind: 'example', bytes: Uint8Array.from(exampleRecording()) })
      return
    case 'listen': {
      const current = new ListenSession(task.rate, report)
      session = current
      task.port.onmessage = ({ data }: MessageEvent<Captured>) => current.push(data)
      return
    }
    case 'end':
      session?.end()
      return
    case 'save':
      session?.save()
      return
    case 'samples':
      report({ kind: 'decoded', decoding: decodeSamples(task.rate, task.channels) })
      return
    case 'decode':
      try {
        report({ kind: 'decoded', decoding: await decodeFile(task.file) })
      } catch (error) {
        report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
      }
  }
})
report({ kind: 'ready' })

async function decodeFile(file: File): Promise<Decoding> {
  let meter: ReturnType<typeof levelMeter> | undefined
  let levels: Uint8Array<ArrayBuffer>[] = []
  const decoder = new WavDecoder((block, rate) => {
    meter ??= levelMeter(rate)
    levels.push(meter(block))
  })
  // A file of another format is known as such at once, however large it is.
  for (let at = 0; at < file.size && !decoder.isDone; at += CHUNK_BYTES) {
    const chunk = file.slice(at, at + CHUNK_BYTES)
    decoder.push(new Uint8Array(await chunk.arrayBuffer()))
    const fraction = Math.min(1, (at + CHUNK_BYTES) / file.size)
    const joined = new Uint8Array(await new Blob(levels).arrayBuffer())
    report({ kind: 'progress', fraction, levels: joined })
    levels = []
  }
  return decoder.end()
}

function decodeSamples(rate: number, channels: readonly Float32Array[]): Decoding {
  const receiver = new Receiver(rate, channels.length)
  const meter = levelMeter(rate)
  const total = channels[0]?.length ?? 0
  const step = BLOCK_SECONDS * rate
  for (let at = 0; at < total; at += step) {
    const block = channels.map((samples) => samples.subarray(at, at + step))
    receiver.push(block)
    const fraction = Math.min(1, (at + step) / total)
    report({ kind: 'progress', fraction, levels: meter(block) })
  }
  return receiver.finish()
}

function report(message: Report): void {
  postMessage(message)
}
