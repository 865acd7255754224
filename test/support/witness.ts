// A witness of logs, written from C2SP tlog-witness and tlog-cosignature with nothing but Node: it shares no code with ours.
import { createPublicKey, sign, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { keyId, publicBytes, sha256, testKey } from '../fixtures/vectors/log.ts'
import { listen } from './listen.ts'

const EMPTY = sha256(Buffer.alloc(0))

export interface Witness {
  readonly url: string
  readonly name: string
  readonly vkey: string
  /** The requests, as `old 3` for add-checkpoint, and the path for others. */
  readonly requests: string[]
  /** The checkpoint that it signed last, with its cosignature. */
  last: { size: number; root: Buffer; note: string } | null
  /** The time that it states [s since 1970]. */
  now: number
  /** May answer in its place. @returns true if it did */
  tamper: ((request: IncomingMessage, response: ServerResponse, body: string) => boolean) | null
  /** Signs the text of a checkpoint. */
  cosign(text: string, time?: number): string
  close(): Promise<void>
}

/** @param log the verifier key of the only log that it knows */
export async function startWitness(name: string, secret: number, log: string): Promise<Witness> {
  const key = testKey(secret)
  const pub = publicBytes(key)
  const id = keyId(name, key, 4)
  const witness: Witness = {
    url: '',
    name,
    vkey: `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(4), pub]).toString('base64')}`,
    requests: [],
    last: null,
    now: 0,
    tamper: null,
    cosign(text, time = witness.now) {
      const stamp = Buffer.alloc(8)
      stamp.writeBigUInt64BE(BigInt(time))
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), key)
      return `— ${name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n`
    },
    close: async () => {},
  }
  const server = createServer(async (request, response) => {
    const body = String(await buffer(request))
    witness.requests.push(
      request.method === 'POST' ? (body.split('\n')[0] ?? '') : (request.url ?? ''),
    )
    if (witness.tamper?.(request, response, body)) return
    if (request.method === 'POST' && request.url === '/add-checkpoint')
      addCheckpoint(witness, log, body, response)
    else showCheckpoint(witness, log, request.url ?? '', response)
  })
  const { url, close } = await listen(server)
  return Object.assign(witness, { url, close })
}

function showCheckpoint({ last }: Witness, log: string, path: string, response: ServerResponse) {
  const origin = log.slice(0, log.indexOf('+'))
  const expected = `/${sha256(Buffer.from(origin)).toString('hex')}/checkpoint`
  if (path !== expected || !last) return response.writeHead(404).end()
  return response.writeHead(200).end(last.note)
}

function addCheckpoint(witness: Witness, log: string, body: string, response: ServerResponse) {
  const end = body.indexOf('\n\n')
  const [oldLine = '', ...proofLines] = body.slice(0, end).split('\n')
  const note = body.slice(end + 2)
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  const [origin = '', count = '', encoded = ''] = text.split('\n')
  const [, digits] = /^old (0|[1-9][0-9]*)$/.exec(oldLine) ?? []
  if (end < 0 || digits === undefined || proofLines.length > 63)
    return response.writeHead(400).end()
  if (!log.startsWith(`${origin}+`)) return response.writeHead(404).end()
  if (!isSignedBy(log, text, note)) return response.writeHead(403).end()
  const [old, size, root] = [Number(digits), Number(count), Buffer.from(encoded, 'base64')]
  if (old > size) return response.writeHead(400).end()
  const known = witness.last ?? { size: 0, root: EMPTY }
  if (old !== known.size)
    return response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${known.size}\n`)
  if (size === known.size && !root.equals(known.root)) return response.writeHead(409).end()
  const proof = proofLines.map((line) => Buffer.from(line, 'base64'))
  if (!isConsistent(known, { size, root }, proof)) return response.writeHead(422).end()
  const line = witness.cosign(text)
  witness.last = { size, root, note: note + line }
  return response.writeHead(200).end(line)
}

function isSignedBy(vkey: string, text: string, note: string): boolean {
  const [name = '', id = '', ...rest] = vkey.split('+')
  const pub = Buffer.from(rest.join('+'), 'base64').subarray(1)
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), pub]),
    format: 'der',
    type: 'spki',
  })
  return note.split('\n').some((line) => {
    const [dash, signer, encoded = ''] = line.split(' ')
    const bytes = Buffer.from(encoded, 'base64')
    if (dash !== '—' || signer !== name || bytes.subarray(0, 4).toString('hex') !== id) return false
    return verify(null, Buffer.from(text), key, bytes.subarray(4))
  })
}

interface Head {
  size: number
  root: Buffer
}

/** Verifies a consistency proof as RFC 9162 section 2.1.4.2 does. */
function isConsistent(first: Head, second: Head, proof: Buffer[]): boolean {
  if (first.size === 0) return proof.length === 0 && (second.size > 0 || second.root.equals(EMPTY))
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root)
  const isPower = (first.size & (first.size - 1)) === 0
  const path = isPower ? [first.root, ...proof] : [...proof]
  const start = path.shift()
  if (!start) return false
  let [fn, sn] = [first.size - 1, second.size - 1]
  for (; fn % 2 === 1; fn >>= 1) sn >>= 1
  let [fr, sr] = [start, start]
  for (const hash of path) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      fr = sha256(Buffer.of(1), hash, fr)
      sr = sha256(Buffer.of(1), hash, sr)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else sr = sha256(Buffer.of(1), sr, hash)
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  return fr.equals(first.root) && sr.equals(second.root) && sn === 0
}
