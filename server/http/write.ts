// Writes answers to node:http's response: the one place where their bytes leave the process.
import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import { sendFile } from './send-file.ts'

/** Sent with every answer (API.md 2.4). */
export const SECURITY_HEADERS: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; connect-src 'none'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
]

const READ_HEADERS: readonly string[] = [...SECURITY_HEADERS, 'Access-Control-Allow-Origin', '*']

/** @param method of the request: HEAD gets the headers of GET and no body */
export function writeAnswer(response: ServerResponse, method: string, answer: Answer): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const { status, body } = answer
  const headers = [...(isRead ? READ_HEADERS : SECURITY_HEADERS), ...answer.headers]
  if (body !== null) headers.push('Content-Length', String(lengthOf(body)))
  response.writeHead(status, headers)
  if (body === null || method === 'HEAD') response.end()
  else if (typeof body === 'string' || body instanceof Uint8Array) response.end(body)
  else sendFile(response, body)
}

function lengthOf(body: NonNullable<Answer['body']>): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}
