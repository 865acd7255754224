// Sends raw bytes over a socket, for requests that no HTTP client would send.
import { connect } from 'node:net'
import { DEADLINE_MS } from './time.ts'

export interface RawAnswer {
  /** Everything that the server sent. */
  text: string
  /** Of the last status line; 0 if nothing was received. */
  status: number
  /** Header fields of the last response, names in lower case. */
  headers: Map<string, string>
  body: string
  /** Whether the server closed the connection. */
  closed: boolean
  /** Whether the server reset the connection. */
  reset: boolean
}

/**
 * Sends chunks one after the other and collects what the server sends, until it closes the connection.
 * @param end `answer` to return already when the first response is complete
 * @param deadlineMs after which it returns what has arrived
 * @param localAddress the client's address, one of 127.0.0.0/8
 */
export function sendRaw(
  url: string,
  chunks: string | string[],
  end: 'close' | 'answer' = 'close',
  deadlineMs = DEADLINE_MS,
  localAddress?: string,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    let text = ''
    let reset = false
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ...lastAnswer(text), text, closed, reset })
    }
    const timer = setTimeout(() => finish(false), deadlineMs)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      if (end === 'answer' && isComplete(text)) finish(false)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset ||= error.code === 'ECONNRESET'
    })
    socket.on('close', () => finish(true))
    for (const chunk of [chunks].flat()) socket.write(chunk, 'latin1')
  })
}

/** Whether a response has as many bytes as its Content-Length. */
function isComplete(text: string): boolean {
  const { headers, body } = lastAnswer(text)
  return body.length >= Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
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
