// A TCP proxy in front of an HTTP server that closes the connection after each answer, or in the middle of one.
import type { Socket } from 'node:net'
import { relay } from './tcp-proxy.ts'

/**
 * HTTP/1.0 answers; HTTP/1.1 answers with `Connection: close`; answers that do not announce that the connection is
 * closed after them.
 */
type Closing = 'HTTP/1.0' | 'announced' | 'unannounced'

export const CLOSINGS: Closing[] = ['HTTP/1.0', 'announced', 'unannounced']

interface ClosingProxy {
  url: string
  /** Returns after how many bytes an answer is cut off; undefined for whole answers. @param request its first line */
  cutAfter: (request: string) => number | undefined
}

/** @param target the port of the HTTP server, on this machine */
export async function closingProxy(target: number, closing: Closing): Promise<ClosingProxy> {
  const pass = (client: Socket, upstream: Socket) => {
    let limit: number | undefined
    let sent = 0
    let isFirst = true
    client.on('data', (bytes) => {
      upstream.write(isFirst ? asOldRequest(bytes) : bytes)
      if (isFirst) limit = proxy.cutAfter(bytes.toString('latin1').split('\r\n')[0] ?? '')
      isFirst = false
    })
    upstream.on('data', (bytes: Buffer) => {
      const answer = sent === 0 ? withHead(bytes, closing) : bytes
      const part = answer.subarray(0, (limit ?? Number.POSITIVE_INFINITY) - sent)
      sent += answer.length
      client.write(part)
      if (limit !== undefined && sent >= limit) client.destroySoon()
    })
  }
  const { url } = await relay(() => target, pass)
  const proxy: ClosingProxy = { url, cutAfter: () => undefined }
  return proxy
}

/** Asks for an answer without chunks, after which the server closes the connection. */
function asOldRequest(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes
      .toString('latin1')
      .replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n')
      .replace(/\r\nconnection: [^\r]*/i, ''),
    'latin1',
  )
}

function withHead(bytes: Buffer, closing: Closing): Buffer {
  let text = bytes.toString('latin1')
  if (closing === 'HTTP/1.0') text = text.replace(/^HTTP\/1\.1/, 'HTTP/1.0')
  if (closing !== 'announced') text = text.replace(/\r\nconnection: [^\r]*/i, '')
  return Buffer.from(text, 'latin1')
}
