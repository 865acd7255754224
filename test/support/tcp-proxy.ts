// A TCP proxy that can be interrupted, to lose responses of PostgreSQL.

import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

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
  const cut = (...sockets: Socket[]) => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      socket.on('error', () => {}).on('close', () => cut(client, upstream))
    }
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
        cut(client, upstream)
      }
    })
  })
  const { port, sockets, close } = await listen(server)
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
    cut: () => cut(...sockets),
    close,
  }
  return proxy
}
