// Sends raw bytes over a socket, for requests that no HTTP client would send.
import { connect } from 'node:net'

export interface RawAnswer {
  /** Everything that the server sent. */
  text: string
  /** Of the last status line; 0 if nothing was received. */
  status: number
  /** Header fields of the last response, names in lower case. */
  headers: Map<string, string>
  body: string
  /** Whether the connection was closed before the timeout. */
  closed: boolean
  /** Whether the server reset the connection. */
  reset: boolean
}

/**
 * Sends chunks one after the other and collects what the server sends until it closes the connection.
 * @param timeoutMs how long to wait for the close
 */
export function sendRaw(
  url: string,
  chunks: string | string[],
  timeoutMs = 1_000,
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
    const timer = setTimeout(() => finish(false), timeoutMs)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset ||= error.code === 'ECONNRESET'
    })
    socket.on('close', () => finish(true))
    for (const chunk of [chunks].flat()) socket.write(chunk, 'latin1')
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
