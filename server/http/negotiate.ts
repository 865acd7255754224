// JSON or HTML on a shared path (decisions.md 2.1).
import { parseAccept } from 'hono/utils/accept'

/** Whether the client prefers application/json to text/html by its q-values; a tie means HTML. */
export function prefersJson(request: Request): boolean {
  const accept = request.headers.get('accept')
  if (accept === null) return false
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
