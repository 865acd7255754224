// Listens with a server of a test on a free port of this machine, and waits for others that listen on one.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { released } from './release.ts'
import { until } from './time.ts'

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

/** Finds a free port, for servers that cannot report a port that they choose themselves. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer())
  await close()
  return port
}

/** Waits until a server accepts connections. @throws Error if its process ends before */
export async function untilListening(port: number, server: ChildProcess): Promise<void> {
  const isListening = async () => {
    const socket = connect(port, '127.0.0.1')
    return once(socket, 'connect')
      .then(Boolean, () => false)
      .finally(() => socket.destroy())
  }
  await until(async () => server.exitCode !== null || (await isListening()))
  if (server.exitCode !== null) throw new Error(`${server.spawnargs.join(' ')}: ended`)
}
