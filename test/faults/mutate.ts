// Mutations of good bytes, as accidents and attackers make them: most are small, so that they pass the first checks.
import type { Random } from '../support/random.ts'

/** What parsers stumble over. */
const TOKENS = [
  ...'%00 % %ff ../ ..%2f " \\ \\ud800 -1 1e999 NaN 0x10 null {} []'.split(' '),
  ...'[[[[ __proto__ ; , = 1970-01-01'.split(' '),
  ...['\r\n', '\n', '\0', '\u2028', '\xff', ' ', '9'.repeat(40)],
  ...['Transfer-Encoding: chunked\r\n', 'Content-Length: 7\r\n', 'Host: a, b\r\n'],
  ...['Range: bytes=-', 'Accept: */*;q=x\r\n', 'Expect: 100-continue\r\n', 'If-None-Match: W/"'],
]
const LONGEST_REPEAT = 40_000

/** Changes bytes at one to three places, all of them within the first `within` bytes. */
export function mutate(good: Uint8Array, random: Random, within = good.length): Buffer {
  let bytes = Buffer.from(good)
  const { below, one } = random
  const at = () => below(Math.min(within, bytes.length) + 1)
  const splice = (start: number, end: number, middle: Uint8Array) => {
    bytes = Buffer.concat([bytes.subarray(0, start), middle, bytes.subarray(end)])
  }
  const kinds = [
    () => {
      const index = Math.min(at(), bytes.length - 1)
      if (index >= 0) bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << below(8)), index)
    },
    () => {
      const start = at()
      splice(start, start + below(12), Buffer.of())
    },
    () => {
      const start = at()
      const token = one(TOKENS)
      splice(start, start + below(2) * token.length, Buffer.from(token, 'latin1'))
    },
    () => {
      const start = at()
      const part = bytes.subarray(start, start + 1 + below(16))
      const times = below(8) === 0 ? Math.floor(LONGEST_REPEAT / Math.max(part.length, 1)) : 2
      splice(start, start, Buffer.concat(Array.from({ length: times }, () => part)))
    },
    () => {
      bytes = bytes.subarray(0, at())
    },
    () => {
      const start = at()
      splice(start, start + 4, Buffer.from([below(256), below(256), below(256), below(256)]))
    },
  ]
  for (let times = 1 + below(3); times > 0; times--) one(kinds)()
  return bytes
}
