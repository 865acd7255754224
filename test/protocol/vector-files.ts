// Reads protocol/vectors as a test of another implementation would, without our code.
import { readFileSync } from 'node:fs'

/** Returns the parsed content of a vector file. */
export function readVectors<Content>(name: string): Content {
  const url = new URL(`../../protocol/vectors/${name}`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

/** Returns the bytes of hexadecimal digits. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
