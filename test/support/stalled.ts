// Opens connections that read nothing.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The read buffer of all connections. */
const ONE_BYTE = Buffer.alloc(1)

/**
 * Connects to `url` and stops reading at the first byte. Tests measure the memory of their process, in which the client
 * runs too, and a socket that is merely paused has already read 64 KiB.
 */
export async function openStalled(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const onread = { buffer: ONE_BYTE, callback: () => false }
  const socket = connect({ host: hostname, port: Number(port), onread })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
