// Opens many connections first, then sends a request on all of them at once.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface CrowdAnswer {
  status: number
  location: string | undefined
  body: string
}

/** Connections opened concurrently: few enough that the server's backlog never overflows. */
const MAX_CONNECTING = 100

/**
 * Opens `size` connections and, when all of them are open, sends the same POST on each.
 * @returns the responses, in the order of the connections
 */
export async function fireAtOnce(
  url: string,
  size: number,
  path: string,
  request: object,
  headers: Record<string, string>,
): Promise<CrowdAnswer[]> {
  const { hostname, port, host } = new URL(url)
  const sockets: Socket[] = []
  while (sockets.length < size) {
    const more = Array.from({ length: Math.min(MAX_CONNECTING, size - sockets.length) }, () =>
      connect(Number(port), hostname),
    )
    await Promise.all(more.map((socket) => once(socket, 'connect')))
    sockets.push(...more)
  }
  const body = JSON.stringify(request)
  const lines = {
    host,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`)
  const bytes = Buffer.from([`POST ${path} HTTP/1.1`, ...head, '', body].join('\r\n'))
  const answers = sockets.map(answerOf)
  for (const socket of sockets) socket.write(bytes)
  return Promise.all(answers)
}

async function answerOf(socket: Socket): Promise<CrowdAnswer> {
  let text = ''
  socket.setEncoding('utf8')
  for await (const chunk of socket) text += chunk
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return {
    status: Number(head.split(' ', 2)[1]),
    location: /^location: (.*)$/im.exec(head)?.[1],
    body,
  }
}
