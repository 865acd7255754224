// Decides between JSON and HTML on paths that have both (API.md 2.1).
import { parseAccept } from 'hono/utils/accept'
import type { Call } from './call.ts'

/** Whether a path has the form of data, existing or not. Below /d/ it does not: a directory's name may end in .json. */
export const isDataPath = (pathname: string): boolean =>
  /^\/api\/|^\/(?!d\/).*\.(?:json|txt|csv|atom|sha256|leaves|receipt)$/.test(pathname)

/** Whether the path has the form of data, or Accept prefers application/json to text/html; a tie means HTML. */
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
