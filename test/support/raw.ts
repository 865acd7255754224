// Bytes on a socket: requests that no HTTP client would send, and the answers as they come.
import { connect } from 'node:net'

export interface RawAnswer {
  /** The whole text that came back. */
  text: string
  /** Of the last status line; 0 when nothing came. */
  status: number
  /** Header lines of the last answer, names in lower case. */
  headers: Map<string, string>
  body: string
  /** Whether the server ended the connection in time, and whether it reset it. */
  closed: boolean
  reset: boolean
}

/**
 * Sends pieces one after the other and gathers what comes back until the server closes.
 * @param patienceMs how long to wait for that
 */
export function sendRaw(
  url: string,
  pieces: string | string[],
  patienceMs = 1_000,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let reset = false
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ...lastAnswer(text), text, closed, reset })
    }
    const timer = setTimeout(() => finish(false), patienceMs)
    socket.setEncoding('latin1')
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset ||= error.code === 'ECONNRESET'
    })
    socket.on('close', () => finish(true))
    for (const piece of [pieces].flat()) socket.write(piece, 'latin1')
  })
}

function lastAnswer(text: string) {
  const start = text.lastIndexOf('HTTP/1.1 ')
  const [head = '', ...body] = text.slice(Math.max(start, 0)).split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()]
    }),
  )
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: body.join('\r\n\r\n') }
}
