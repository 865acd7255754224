// Reads protocol/vectors as a test of another implementation would, without our code.
import { readFileSync } from 'node:fs'

/** Returns the parsed content of a vector file. */
export function readVectors<Content>(name: string): Content {
  const url = new URL(`../../protocol/vectors/${name}`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

/** Returns the vectors of a file. */
export const vectorsOf = <Vector>(name: string) => readVectors<{ vectors: Vector[] }>(name).vectors

/** A vector of code.json. */
export interface CodeVector {
  name: string
  frame: string
  levels: string[]
  code_words: string[]
  labels: string
  code_tones: string
  tones: string
  tones_sha256: string
}

/** A vector of waveforms.json. */
export interface WaveformVector {
  name: string
  tones: string
  samples: number
  excerpts: { from: number; samples: string }[]
  wav_sha256: string
}

/** Returns the bytes of hexadecimal digits. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
