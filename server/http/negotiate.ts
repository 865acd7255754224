// JSON or HTML on a shared path (API.md 2.1).
import { parseAccept } from 'hono/utils/accept'
import type { Call } from './call.ts'

/** Whether the form of an address asks for data, whatever is there. A directory may have any of these names. */
export const isDataPath = (pathname: string): boolean =>
  /^\/api\/|^\/(?!d\/).*\.(?:json|txt|csv|sha256|tlog-proof)$/.test(pathname)

/** Whether an address asks for data, or the client prefers application/json to text/html by its q-values; a tie means HTML. */
export function prefersJson(call: Call): boolean {
  if (isDataPath(call.pathname)) return true
  const accept = call.header('accept')
  if (accept === undefined || accept === '*/*') return false
  const ranges = parseAccept(accept)
  const quality = (type: string): number => {
    const [family] = type.split('/')
    for (const wanted of [type, `${family}/*`, '*/*']) {
      const range = ranges.find((item) => item.type.toLowerCase() === wanted)
      if (range) return range.q
    }
    return 0
  }
  return quality('application/json') > quality('text/html')
}
