// What JSON.parse accepts and a careful reader does not: repeated keys and endless nesting. The
// archive and the server both read through it.

/** Deeper nesting than any file or request of this project needs. */
const MAX_DEPTH = 32

/** Valid JSON that is refused nevertheless; the message quotes a key at most. */
export class RefusedJson extends SyntaxError {
  override name = 'RefusedJson'
}

const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * Walks the brackets and strings of a text that is valid JSON, in linear time. JSON.parse keeps the
 * last of two equal keys, and its reviver recurses as deep as the text does. Parse the text first:
 * in invalid JSON a string that never closes would be searched again from each quotation mark.
 * @throws RefusedJson on nesting deeper than 32 levels, on a repeated key
 */
export function refuseDeepOrRepeated(text: string): void {
  /** One set of keys for each open object, null for each open array. */
  const open: (Set<string> | null)[] = []
  let last = ''
  // matchAll would compile the expression again for each text.
  STRUCTURE.lastIndex = 0
  for (let found = STRUCTURE.exec(text); found; found = STRUCTURE.exec(text)) {
    const token = found[0]
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > MAX_DEPTH) throw new RefusedJson(`nested deeper than ${MAX_DEPTH} levels`)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') noteKey(open.at(-1), last)
    last = token
  }
}

function noteKey(keys: Set<string> | null | undefined, token: string): void {
  if (!keys || !token.startsWith('"')) return
  const key = JSON.parse(token) as string
  if (keys.has(key)) throw new RefusedJson(`the key ${token} is repeated`)
  keys.add(key)
}

/** The name of a place in a JSON value: `['sources', 2, 'url']` -> `sources[2].url`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}
