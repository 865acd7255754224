// TCP proxies in front of a server of this machine, which a test can interrupt, to lose responses of PostgreSQL for example.
import { connect, createServer, type Socket } from 'node:net'
import { type Listening, listen } from './listen.ts'

/**
 * Connects each client with a server; the end of one connection ends the other.
 * @param target the server's port, at the time of the connection
 * @param pass passes the bytes on, as far as it likes
 */
export const relay = (
  target: () => number,
  pass: (client: Socket, upstream: Socket) => void,
): Promise<Listening> =>
  listen(
    createServer((client) => {
      const upstream = connect(target(), '127.0.0.1').on('error', () => {})
      upstream.on('close', () => client.destroySoon())
      client.on('close', () => upstream.destroy())
      pass(client, upstream)
    }),
  )

export interface Proxy {
  readonly port: number
  /** The port that new connections are forwarded to. */
  target: number
  /** Cuts the connection instead of forwarding the server's next response that contains this text. */
  loseAnswer(text: string): void
  /** The number of lost responses. */
  readonly lost: number
  /**
   * Sets `isBlack` instead of forwarding the server's next response that contains this text, on a connection whose client
   * has sent `request` by then.
   */
  blackFrom(text: string, request: string): void
  /** While true, connections stay open but bytes are dropped in both directions. */
  isBlack: boolean
  /** Cuts all connections; new ones are accepted. */
  cut(): void
  close(): Promise<void>
}

export async function startProxy(firstTarget: number): Promise<Proxy> {
  let losing: string | null = null
  let blackening: { text: string; request: string } | null = null
  let lost = 0
  const pass = (client: Socket, upstream: Socket) => {
    let isRequested = false
    client.on('data', (bytes) => {
      if (blackening && bytes.includes(blackening.request)) isRequested = true
      if (!proxy.isBlack) upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (blackening && isRequested && bytes.includes(blackening.text)) {
        blackening = null
        proxy.isBlack = true
      }
      if (proxy.isBlack) return
      if (losing === null || !bytes.includes(losing)) client.write(bytes)
      else {
        losing = null
        lost++
        client.destroy()
      }
    })
  }
  const { port, sockets, close } = await relay(() => proxy.target, pass)
  const proxy: Proxy = {
    port,
    target: firstTarget,
    loseAnswer: (text) => {
      losing = text
    },
    blackFrom: (text, request) => {
      blackening = { text, request }
    },
    get lost() {
      return lost
    },
    isBlack: false,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    close,
  }
  return proxy
}
