// Makes a Call without a socket, to test a handler directly.
import type { IncomingMessage } from 'node:http'
import { Call } from '../../server/http/call.ts'
import { readTarget } from '../../server/http/target.ts'

/** @param headers names in lower case */
export function callOf(path: string, headers: Record<string, string> = {}, method = 'GET'): Call {
  const target = readTarget(path, 'day.example')
  if (target === undefined) throw new Error(`${path} is not a request target`)
  return new Call({ method, headers, socket: {} } as IncomingMessage, target)
}
