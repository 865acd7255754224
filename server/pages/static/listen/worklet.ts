// Runs on the browser's audio thread: passes what the microphone records to the worker that decodes it.
// The page's own thread is not involved, so a tab in the background loses nothing.
import { CAPTURE, type Captured } from '../decode/report.ts'

// The global scope of AudioWorklets, which TypeScript's library lacks.
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

/** Samples in a message: a multiple of the 128 that the browser passes at once. */
const BATCH = 4096

class Capture extends AudioWorkletProcessor {
  #target: MessagePort | null = null
  #batch = new Float32Array(BATCH)
  #filled = 0

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<MessagePort | null>) => {
      this.#target = data
      this.#filled = 0
    }
  }

  /** Called with each 128 samples. @returns whether to call it again */
  process([channels]: Float32Array[][]): boolean {
    const samples = channels?.[0]
    if (this.#target === null || samples === undefined) return true
    this.#batch.set(samples, this.#filled)
    this.#filled += samples.length
    if (this.#filled < BATCH) return true
    const captured: Captured = { samples: this.#batch, at: Date.now() }
    this.#target.postMessage(captured, [this.#batch.buffer])
    this.#batch = new Float32Array(BATCH)
    this.#filled = 0
    return true
  }
}

registerProcessor(CAPTURE, Capture)
