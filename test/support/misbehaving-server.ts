// A TCP server in front of an HTTP server: it passes some requests on, and answers the others as a seed decides, with wrong
// status lines, lengths, encodings, chunks, headers, resets and trickles. Roughly one answer in eight is correct, so that a
// conversation gets past its first file.
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Random } from './random.ts'
import { relay } from './tcp-proxy.ts'

export interface MisbehavingServer {
  url: string
  /** The number of answers that the seed has composed. */
  readonly answers: number
  close(): Promise<void>
}

interface Misbehaviour {
  /** The port of the HTTP server, on this machine. */
  target: number
  chance: Random
  /** Whether a request is answered by the seed. @param path of the request */
  isTampered(path: string): boolean
  /** The body that a correct answer would have. */
  bodyOf(path: string): Uint8Array
  /** Answers never end by silence, for clients whose timeout is long. */
  neverStalls?: boolean
}

export async function misbehavingServer(how: Misbehaviour): Promise<MisbehavingServer> {
  let answers = 0
  const answer = (socket: Socket, path: string) => {
    answers += 1
    return send(socket, misbehavingAnswer(how.chance, how.bodyOf(path)), how.neverStalls ?? false)
  }
  const pass = (socket: Socket, upstream: Socket) => {
    upstream.pipe(socket)
    let received = Buffer.alloc(0)
    let isBusy = false
    socket.on('data', async (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      const end = endOfRequest(received)
      if (end === null || isBusy) return
      isBusy = true
      const request = received.subarray(0, end)
      received = received.subarray(end)
      const path = request.toString('latin1').split(' ')[1] ?? ''
      if (how.isTampered(path)) await answer(socket, path)
      else upstream.write(lastRequest(request), 'latin1')
      isBusy = false
    })
  }
  const { url, close } = await relay(() => how.target, pass)
  return {
    url,
    get answers() {
      return answers
    },
    close,
  }
}

/** The length of the first request in these bytes; null if it is not complete. */
function endOfRequest(bytes: Buffer): number | null {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return null
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(bytes.toString('latin1', 0, head))?.[1] ?? 0
  const end = head + 4 + Number(length)
  return bytes.length < end ? null : end
}

/** Asks the server to close the connection after the answer. */
const lastRequest = (request: Buffer) =>
  request.toString('latin1').replace(/\r\nconnection: [^\r]*/i, '\r\nconnection: close')

async function send(
  socket: Socket,
  { pieces, ending }: Answer,
  neverStalls: boolean,
): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    await new Promise<void>((written) => socket.write(piece, () => written()))
  }
  if (ending === 'reset') socket.resetAndDestroy()
  else if (ending === 'close' || neverStalls) socket.end()
}

/** How an answer ends after its last byte. */
type Ending = 'keep' | 'close' | 'reset' | 'stall'

/** The bytes of an answer and how they are sent. */
interface Answer {
  /** Written one after the other. */
  pieces: Buffer[]
  ending: Ending
}

const CRLF = '\r\n'

/** Composes the answer that carries `body`, or something else in its place. */
function misbehavingAnswer(chance: Random, body: Uint8Array): Answer {
  const { below, one } = chance
  const often = <T>(usual: T, others: readonly T[], part = 0.8): T =>
    chance.uniform() < part ? usual : one(others)
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))

  const coding = often<[string | null, (bytes: Uint8Array) => Uint8Array]>(
    [null, (bytes) => bytes],
    [
      ['gzip', gzipSync],
      ['x-gzip', (bytes) => gzipSync(bytes).subarray(0, 40)],
      ['gzip', (bytes) => bytes],
      ['gzip', () => GZIPPED_ZEROS],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['br', () => noise(100)],
      ['zstd', (bytes) => bytes],
      ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
      ['\u0001', (bytes) => bytes],
      ['identity', (bytes) => bytes],
      ['', (bytes) => bytes],
    ],
  )
  const content = Buffer.from(coding[1](body))
  const length = String(content.length)

  const [framing, framed] = often<[string[], Buffer]>(
    [[`content-length: ${length}`], content],
    [
      [[], content],
      [[`content-length: ${content.length + 1 + below(5000)}`], content],
      [[`content-length: ${below(content.length + 1)}`], content],
      [
        [
          `content-length: ${one(['-1', '+5', '1e3', '0x10', '', ' ', '5, 5', '9'.repeat(40), 'NaN'])}`,
        ],
        content,
      ],
      [[`content-length: ${length}`, `content-length: ${length}`], content],
      [[`content-length: ${length}`, `content-length: ${below(100)}`], content],
      [[`content-length: ${length}`, 'transfer-encoding: chunked'], chunked(content, chance)],
      [['transfer-encoding: chunked'], chunked(content, chance)],
      [['transfer-encoding: chunked'], chunked(content, chance)],
      [['transfer-encoding: chunked'], chunked(content, chance)],
      [['transfer-encoding: chunked'], content],
      [['transfer-encoding: gzip, chunked'], chunked(gzipSync(content), chance)],
      [['transfer-encoding: chunked, gzip'], content],
      [['transfer-encoding: identity'], content],
      [['transfer-encoding: \u000bchunked'], chunked(content, chance)],
    ],
    0.6,
  )

  const status = often(
    'HTTP/1.1 200 OK',
    [
      'HTTP/1.0 200 OK',
      'HTTP/1.1 200',
      'HTTP/1.1 200 ',
      `HTTP/1.1 200 ${'x'.repeat(20_000)}`,
      'HTTP/1.1 200 \u0000\u00ff',
      'HTTP/0.9 200 OK',
      'HTTP/2 200 OK',
      'HTTP/1.1 0 OK',
      'HTTP/1.1 099 OK',
      'HTTP/1.1 1000 OK',
      'HTTP/1.1 -200 OK',
      'HTTP/1.1 abc OK',
      'ICY 200 OK',
      'http/1.1 200 ok',
      'HTTP/1.1',
      '',
      'GET / HTTP/1.1',
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 101 Switching Protocols',
      `HTTP/1.1 ${one([201, 204, 205, 206, 300, 301, 302, 304, 307, 400, 401, 403, 404, 407, 410, 416, 418])} X`,
      `HTTP/1.1 ${one([429, 500, 502, 503, 504, 599, 999])} X`,
      one(['RTSP/1.0 200 OK', 'HTTP/1.1  200 OK', ' HTTP/1.1 200 OK', 'HTTP/1.1\t200\tOK']),
    ],
    0.6,
  )

  const interim = often(
    '',
    [
      `HTTP/1.1 100 Continue${CRLF}${CRLF}`,
      `HTTP/1.1 103 Early Hints${CRLF}link: </x>${CRLF}${CRLF}`,
      `HTTP/1.1 102 Processing${CRLF}${CRLF}`.repeat(2000),
      `HTTP/1.1 101 Switching Protocols${CRLF}upgrade: h2c${CRLF}connection: upgrade${CRLF}${CRLF}`,
      `HTTP/1.1 100 Continue${CRLF}content-length: 10${CRLF}${CRLF}`,
    ],
    0.9,
  )

  const extra = often<string[]>(
    [],
    [
      ['connection: close'],
      ['connection: keep-alive'],
      ['connection: upgrade', 'upgrade: websocket'],
      ['connection: close, keep-alive', 'keep-alive: timeout=0, max=0'],
      ['keep-alive: timeout=99999999999999999999'],
      ['etag: "x"'],
      [`etag: ${'"'.repeat(3000)}`],
      ['retry-after: 1'],
      [
        `retry-after: ${one(['-5', 'soon', '9'.repeat(20), 'Thu, 01 Jan 1970 00:00:00 GMT', '0'])}`,
        `date: ${one(['x', 'Thu, 01 Jan 1970 00:00:00 GMT'])}`,
      ],
      [`content-range: bytes ${one(['0-', '-', '*/5', '5-3/2', '0-9/10', 'x'])}`],
      [`x-long: ${'x'.repeat(one([4000, 16_000, 100_000, 1_000_000]))}`],
      Array.from({ length: one([100, 2500]) }, (_, number) => `x-${number}: ${number}`),
      Array.from({ length: 3000 }, () => 'set-cookie: a=b'),
      ['no colon at all'],
      ['x-folded: a', ' b', '\tc'],
      ['x-space : a'],
      [': empty'],
      ['x-bell: \u0007'],
      ['x-nul: a\u0000b'],
      ['x-cr: a\rb'],
      [
        `x-bytes: ${noise(40)
          .toString('latin1')
          .replaceAll(/[\r\n]/g, '')}`,
      ],
      ['__proto__: x', 'constructor: y', 'content-type: a', 'content-type: b'],
      ['location: http://192.0.2.1/', 'refresh: 0'],
      ['trailer: etag'],
    ],
    0.6,
  )

  const lineEnd = often(CRLF, ['\n', '\r', '\r\r\n'], 0.95)
  const head = [status, ...[...framing, ...extra].sort(() => chance.uniform() - 0.5)]
  if (coding[0] !== null) head.push(`content-encoding: ${coding[0]}`)
  const lines = Buffer.from(interim + head.join(lineEnd) + lineEnd + lineEnd, 'latin1')
  let whole = Buffer.concat([lines, framed])
  if (chance.uniform() < 0.04)
    whole = one([noise(200), TLS_ALERT, Buffer.alloc(0), Buffer.alloc(100_000, '\n')])
  if (chance.uniform() < 0.1)
    whole = Buffer.concat([
      whole,
      one([
        noise(50),
        whole,
        Buffer.from(`HTTP/1.1 200 OK${CRLF}content-length: 0${CRLF}${CRLF}`),
        Buffer.from(CRLF),
      ]),
    ])
  if (chance.uniform() < 0.15) whole = whole.subarray(0, below(whole.length))
  const ending = often<Ending>('keep', ['close', 'reset', 'stall', 'close'], 0.5)
  return { pieces: cut(whole, chance), ending }
}

/** A TLS alert, which a server sends that expects TLS. */
const TLS_ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 40])
/** 20 MiB when decompressed. */
const GZIPPED_ZEROS = gzipSync(Buffer.alloc(20 * 1024 * 1024))

/** Encodes a body in chunks, which is done wrong in one of many ways half of the time. */
function chunked(body: Buffer, { below, one }: Random): Buffer {
  const size = one([1000, 65_536, body.length || 1])
  const parts: (string | Buffer)[] = []
  const faulty = below(2) === 0
  const wrongAt = faulty ? below(Math.ceil(body.length / size) + 1) : -1
  for (let at = 0, number = 0; at < body.length; at += size, number += 1) {
    const part = body.subarray(at, at + size)
    const usual = part.length.toString(16)
    const wrong = [
      'zz',
      '',
      '-1',
      'f'.repeat(17),
      '0x5',
      `${usual} `,
      `${usual};a=${'b'.repeat(20_000)}`,
      `${usual};"`,
      `${(part.length + 7).toString(16)}`,
      `${(part.length >> 1).toString(16)}`,
      '0',
    ]
    parts.push(
      number === wrongAt ? one(wrong) : usual,
      CRLF,
      part,
      number === wrongAt ? one([CRLF, '\n', '', 'xx']) : CRLF,
    )
  }
  const trailers = one([
    '',
    '',
    'etag: "t"\r\n',
    'x: y\r\n'.repeat(20_000),
    `x: ${'y'.repeat(200_000)}\r\n`,
    'no colon\r\n',
    'content-length: 5\r\n',
  ])
  parts.push(
    one([
      `0${CRLF}${faulty ? trailers : ''}${CRLF}`,
      `0${CRLF}${CRLF}`,
      faulty ? '' : `000${CRLF}${CRLF}`,
    ]),
  )
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  )
}

/** Cuts the bytes of an answer into the pieces in which it is sent: whole, in halves, or single bytes at first. */
function cut(bytes: Buffer, { below, one }: Random): Buffer[] {
  const single = one([0, 0, 0, 60])
  const pieces: Buffer[] = []
  for (let at = 0; at < Math.min(single, bytes.length); at += 1)
    pieces.push(bytes.subarray(at, at + 1))
  const rest = bytes.subarray(pieces.length)
  const middle = below(rest.length + 1)
  pieces.push(...(below(2) === 0 ? [rest] : [rest.subarray(0, middle), rest.subarray(middle)]))
  return pieces.filter((piece) => piece.length > 0)
}
