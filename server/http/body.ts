// Reads the JSON body of a write and checks its type, size, encoding and syntax (API.md 1.3 to 1.5).
import { parseJson, RejectedJson } from '../../archive/base/json.ts'
import { Problem } from '../wire/problem.ts'
import type { Call } from './call.ts'

/** The largest request body (API.md 1.5) [bytes]. */
export const MAX_REQUEST_BYTES = 131_072

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a request's JSON. Checks the headers first, so as not to wait for a body that will be rejected.
 * @throws Problem 415, 413 or 400, in this order
 */
export async function readJson(call: Call): Promise<unknown> {
  requireJson(call)
  const bytes = await call.body(MAX_REQUEST_BYTES)
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Problem('invalid_json', 'the request is not valid UTF-8')
  }
  try {
    return parseJson(text)
  } catch (error) {
    // The engine's own message may quote long or hostile text.
    const reason = error instanceof RejectedJson ? error.message : 'syntax error'
    throw new Problem('invalid_json', `the request is not valid JSON: ${reason}`)
  }
}

/** application/json, alone or with charset=utf-8. */
export const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

function requireJson(call: Call): void {
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', 'Content-Encoding: only identity is accepted')
  if (!JSON_TYPE.test(call.header('content-type') ?? ''))
    throw new Problem('unsupported_media_type', 'Content-Type: must be application/json')
}
