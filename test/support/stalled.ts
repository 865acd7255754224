// A client that reads nothing.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Where all of them would put what they read. */
const ONE_BYTE = Buffer.alloc(1)

/**
 * Connects to `url` and stops reading at the first byte, so that the client, which lives in the test's process, holds no memory
 * of its own: a socket that is merely paused has read 64 KiB by then.
 */
export async function openStalled(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const onread = { buffer: ONE_BYTE, callback: () => false }
  const socket = connect({ host: hostname, port: Number(port), onread })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
