// A transport of its own for each test, which says how it answers, and the connections to it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import type { Call } from '../../../server/http/call.ts'
import {
  createTransport,
  type Transport,
  type TransportLimits,
} from '../../../server/http/transport.ts'

export const MIB = 1024 * 1024

/** An answer of text. */
export const text = (body: string): Answer => ({ status: 200, headers: [], body })

/** The bytes of a request. @param fields header lines, each with its CRLF */
export const request = (path: string, fields = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

export const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

export interface Served {
  transport: Transport
  url: string
  /** Are closed after each test. */
  readonly sockets: Socket[]
  /** Listens, and answers so. */
  serve(
    respond: (call: Call) => Answer | Promise<Answer>,
    limits?: Partial<TransportLimits>,
  ): Promise<void>
  /** A connection that reads nothing until it is resumed. */
  open(): Promise<Socket>
}

/** Is stopped after each test of the file. */
export function served(): Served {
  const sockets: Socket[] = []
  const at = {
    sockets,
    async serve(respond, limits = {}) {
      const all = { connections: 100, stalledS: 30, files: 100, ...limits }
      at.transport = createTransport(respond, all)
      at.url = await at.transport.listen(0, '127.0.0.1')
    },
    async open() {
      const { hostname, port } = new URL(at.url)
      const socket = connect(Number(port), hostname)
      sockets.push(socket.on('error', () => {}))
      await once(socket, 'connect')
      return socket.pause()
    },
  } as Served
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await at.transport.stop(0)
  })
  return at
}
