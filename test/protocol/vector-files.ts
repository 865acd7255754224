// Reading protocol/vectors in tests, as a stranger's test would: the files and nothing of ours.
import { readFileSync } from 'node:fs'

/** The content of a vector file; the caller says what it holds. */
export function readVectors<Content>(name: string): Content {
  const url = new URL(`../../protocol/vectors/${name}`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

/** The bytes of hexadecimal digits. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
