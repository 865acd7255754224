// Listens with a server of a test on a free port of this machine.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { released } from './release.ts'

export interface Listening {
  port: number
  /** Without a trailing slash, for a server that speaks HTTP. */
  url: string
  /** The open connections. */
  sockets: ReadonlySet<Socket>
  /** Cuts all connections and stops listening, which otherwise happens at the end of the test or of the file. */
  close(): Promise<void>
}

export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = released(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return { port, url: `http://127.0.0.1:${port}`, sockets, close }
}
