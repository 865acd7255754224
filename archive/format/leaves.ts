// Writes and parses `<day>.leaves` (FORMAT.md 22.1): the leaf hash of each message of a day, one per line. Pure.
import { ArchiveError } from '../base/errors.ts'

/** 64 hex digits and a line feed. */
export const LEAF_LINE_BYTES = 65
const LEAF_BYTES = 32
const LINE_FEED = 0x0a

/** The value of each byte as a lowercase hex digit, or -1. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte)),
)

/** The bytes of `<day>.leaves`. @param leaves ascending by id */
export function leavesBytes(leaves: readonly Uint8Array[]): Uint8Array {
  return Buffer.from(leaves.map((leaf) => `${Buffer.from(leaf).toString('hex')}\n`).join(''))
}

/** The leaves of a day, 32 bytes each, one after the other. */
export class PackedLeaves {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get count(): number {
    return this.bytes.length / LEAF_BYTES
  }

  /** @param index from 0 to `count - 1` */
  at(index: number): Uint8Array {
    return this.bytes.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES)
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let index = 0; index < this.count; index += 1) yield this.at(index)
  }
}

/** Parses a whole file. @throws ArchiveError `leaves_differ` naming the line */
export function parseLeaves(bytes: Uint8Array): PackedLeaves {
  const parser = new LeavesParser()
  const leaves = parser.push(bytes)
  parser.end()
  return leaves
}

/** Parses a file of any size in memory proportional to a chunk. @throws ArchiveError `leaves_differ` naming the line */
export async function* readLeaves(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parser = new LeavesParser()
  for await (const chunk of chunks) yield* parser.push(chunk)
  parser.end()
}

/** Parses a file chunk by chunk. */
class LeavesParser {
  /** The beginning of a line whose end is in the next chunk. */
  #rest: Uint8Array = new Uint8Array()
  #lines = 0

  /** Returns the leaves of the lines that this chunk completes. @throws ArchiveError `leaves_differ` */
  push(chunk: Uint8Array): PackedLeaves {
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const count = Math.floor(text.length / LEAF_LINE_BYTES)
    const leaves = new Uint8Array(count * LEAF_BYTES)
    for (let line = 0; line < count; line += 1) {
      if (!decodeLine(text, line * LEAF_LINE_BYTES, leaves, line * LEAF_BYTES))
        throw invalidLine(this.#lines + line + 1)
    }
    this.#lines += count
    // Copied, since a stream may use its buffer again.
    this.#rest = new Uint8Array(text.subarray(count * LEAF_LINE_BYTES))
    return new PackedLeaves(leaves)
  }

  /** @throws ArchiveError `leaves_differ` if the last line is not whole */
  end(): void {
    if (this.#rest.length > 0) throw invalidLine(this.#lines + 1)
  }
}

/** @returns whether the line is valid */
function decodeLine(text: Uint8Array, from: number, leaves: Uint8Array, to: number): boolean {
  for (let i = 0; i < LEAF_BYTES; i += 1) {
    const high = DIGITS[text[from + 2 * i] as number] as number
    const low = DIGITS[text[from + 2 * i + 1] as number] as number
    if (high < 0 || low < 0) return false
    leaves[to + i] = (high << 4) | low
  }
  return text[from + LEAF_LINE_BYTES - 1] === LINE_FEED
}

function invalidLine(line: number): ArchiveError {
  const rule = 'is not 64 lower-case hexadecimal digits and a line feed'
  return new ArchiveError('leaves_differ', `line ${line} ${rule}`)
}
