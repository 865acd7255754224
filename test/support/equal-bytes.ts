// Lets toEqual compare bytes and samples at once. Vitest makes a string of the index of each element, which takes 0.1 s for
// the sound of a small day.
import { expect } from 'vitest'

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Leaves what differs to vitest, which shows the difference. */
function haveSameBytes(one: unknown, other: unknown): true | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return undefined
  if (one.constructor !== other.constructor) return undefined
  return bytesOf(one).equals(bytesOf(other)) || undefined
}

expect.addEqualityTesters([haveSameBytes])
