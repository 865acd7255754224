// Starts a transport for a test, with the responses and limits that it defines, and connects to it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import type { Call } from '../../../server/http/call.ts'
import { type OriginOfPeer, Transport } from '../../../server/http/transport.ts'

export const MIB = 1024 * 1024

/** A text response. */
export const text = (body: string) => ({ status: 200, headers: [], body }) satisfies Answer

/** The bytes of a request. @param fields header lines, each with its CRLF */
export const request = (path: string, fields = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

export const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

const LIMITS = {
  connections: 100,
  /** Further connections, for origins that hold few. */
  reserved: 0,
  /** [s] */
  stalledS: 30,
  files: 100,
  /** Further files, for origins that hold few. */
  reservedFiles: 0,
}

export interface Served {
  transport: Transport
  url: string
  /** The errors that the transport logged. */
  readonly logged: unknown[]
  /** Connections to close after each test. */
  readonly sockets: Socket[]
  /** Starts listening. */
  serve(
    respond: (call: Call) => Answer | Promise<Answer>,
    limits?: Partial<typeof LIMITS>,
    originOf?: OriginOfPeer,
  ): Promise<void>
  /** Opens a connection that reads nothing until it is resumed. */
  open(): Promise<Socket>
}

/** Returns a server that is stopped after each test of the file. */
export function served(): Served {
  const sockets: Socket[] = []
  const logged: unknown[] = []
  const log = { error: ({ err }: { err: unknown }) => logged.push(err) }
  const server = {
    logged,
    sockets,
    async serve(respond, limits = {}, originOf = (peer) => peer) {
      const { connections, reserved, stalledS, files, reservedFiles } = { ...LIMITS, ...limits }
      server.transport = new Transport(respond, {
        log,
        limits: {
          connections: { shared: connections, reserved },
          stalledS,
          files: { shared: files, reserved: reservedFiles },
        },
        originOf,
      })
      server.url = await server.transport.listen({
        host: '127.0.0.1',
        port: 0,
        variable: 'PORT',
      })
    },
    async open() {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      sockets.push(socket.on('error', () => {}))
      await once(socket, 'connect')
      return socket.pause()
    },
  } as Served
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    logged.length = 0
    await server.transport.stop(0)
  })
  return server
}
