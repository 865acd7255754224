// Stands in for node:crypto, as far as the modules of the archive use it, in the script that checks a message. They wait
// for no hash and no signature, but the browser's WebCrypto can only be waited for. Hashes are therefore computed here, and
// a signature is asked for: the work ends, and is done again with the answer.

const PRIMES = [
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193,
  197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307,
  311,
]
/** The first 32 bits of a number's fraction. */
const fraction = (value: number): number => (value % 1) * 2 ** 32
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const BLOCK_BYTES = 64
/** The end of the padding: the length of the data in bits. */
const LENGTH_BYTES = 8

/** SHA-256 (FIPS 180-4), as Node's `hash` of one call. */
export function hash(_: 'sha256', content: Uint8Array | string, as: 'hex' | 'buffer') {
  const data = Buffer.from(content as string)
  const length = Math.ceil((data.length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES
  const padded = new DataView(new ArrayBuffer(length))
  new Uint8Array(padded.buffer).set(data)
  padded.setUint8(data.length, 0x80)
  padded.setBigUint64(length - LENGTH_BYTES, 8n * BigInt(data.length))
  const state = START.slice()
  for (let at = 0; at < length; at += BLOCK_BYTES) addBlock(state, padded, at)
  const digest = new DataView(new ArrayBuffer(32))
  for (const [i, word] of state.entries()) digest.setUint32(4 * i, word)
  const bytes = Buffer.from(new Uint8Array(digest.buffer))
  return as === 'hex' ? bytes.toString('hex') : bytes
}

const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

const WORDS = new Uint32Array(64)

function addBlock(state: Uint32Array, data: DataView, at: number): void {
  const w = WORDS as unknown as number[]
  for (let i = 0; i < 16; i += 1) w[i] = data.getUint32(at + 4 * i)
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [w[i - 15]!, w[i - 2]!]
    const s0 = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const s1 = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g)
    const t1 = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + ROUNDS[i]! + w[i]!
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const t2 = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i]! += word
}

type Eight = [number, number, number, number, number, number, number, number]

/** The answers so far, by question. */
const answers = new Map<string, boolean>()

/** Thrown where it is not known yet whether a signature verifies. */
class Asked extends Error {
  readonly answer: () => Promise<void>

  constructor(answer: () => Promise<void>) {
    super('whether a signature verifies is not known yet')
    this.answer = answer
  }
}

/** Does work that may verify signatures; it is begun again once for each of them. */
export async function withSignatures<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Asked)) throw error
      await error.answer()
    }
}

/** A key is what it is made of, until it verifies something. */
export const createPublicKey = ({ key }: { key: JsonWebKey }): JsonWebKey => key

/** @throws Asked until it is known whether the signature verifies */
export function verify(_: null, data: Uint8Array, key: JsonWebKey, signature: Uint8Array): boolean {
  const parts = [data, signature].map((bytes) => hash('sha256', bytes, 'hex'))
  const question = [key.x, ...parts].join(' ')
  const known = answers.get(question)
  if (known !== undefined) return known
  throw new Asked(async () => {
    answers.set(question, await verified(data, key, signature))
  })
}

const ED25519 = 'Ed25519'

async function verified(data: Uint8Array, key: JsonWebKey, signature: Uint8Array) {
  const given = (bytes: Uint8Array) => new Uint8Array(bytes)
  try {
    const imported = await crypto.subtle.importKey('jwk', key, ED25519, false, ['verify'])
    return await crypto.subtle.verify(ED25519, imported, given(signature), given(data))
  } catch (error) {
    // No point of the curve.
    if (error instanceof DOMException && error.name === 'DataError') return false
    throw error
  }
}

/** Whether this browser verifies the signatures of the archive: over HTTPS or on localhost, and if it is new enough. */
export async function canVerify(): Promise<boolean> {
  if (!globalThis.crypto?.subtle) return false
  const x = 'A'.repeat(43)
  const key = { kty: 'OKP', crv: ED25519, x }
  return crypto.subtle.importKey('jwk', key, ED25519, false, ['verify']).then(
    () => true,
    ({ name }) => name === 'DataError',
  )
}

/** Imported with the others, though a check signs nothing and hashes nothing in parts. */
export const sign = null
export const createHash = null
