// A TCP server in front of an HTTP server: it passes some requests on, and answers the others as a seed decides, in the
// ways of misbehaving.ts.
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'
import { type Answer, misbehavingAnswer } from './misbehaving.ts'
import type { Random } from './random.ts'

export interface MisbehavingServer {
  url: string
  /** The number of answers that the seed has composed. */
  readonly answers: number
  close(): Promise<void>
}

export interface Misbehaviour {
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
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    let isBusy = false
    socket.on('data', async (bytes) => {
      received = Buffer.concat([received, bytes])
      const end = endOfRequest(received)
      if (end === null || isBusy) return
      isBusy = true
      const request = received.subarray(0, end)
      received = received.subarray(end)
      const path = request.toString('latin1').split(' ')[1] ?? ''
      if (how.isTampered(path)) await answer(socket, path)
      else passOn(socket, request, how.target)
      isBusy = false
    })
  })
  const { url, close } = await listen(server)
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

/** Passes a request on, and closes both connections after the answer. */
function passOn(socket: Socket, request: Buffer, target: number): void {
  const upstream = connect(target, '127.0.0.1')
  upstream.on('error', () => socket.destroy())
  socket.on('close', () => upstream.destroy())
  const text = request
    .toString('latin1')
    .replace(/\r\nconnection: [^\r]*/i, '\r\nconnection: close')
  upstream.write(text, 'latin1')
  upstream.pipe(socket)
}

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
