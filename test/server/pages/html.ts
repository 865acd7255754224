// A strict parser for the HTML of our templates: markup that is unbalanced, unquoted or unescaped is an error.

export interface Tag {
  name: string
  attributes: Map<string, string>
}

export interface Parsed {
  /** Opening tags in document order. */
  tags: Tag[]
  /** All text, unescaped. */
  text: string
}

const TOKEN =
  /<!doctype html>|<(?<close>\/?)(?<name>[a-z][a-z0-9]*)(?<rest>(?:\s+[a-z-]+\d?(?:="[^"]*")?)*)\s*(?<empty>\/?)>|(?<text>[^<>]+)|(?<stray>[<>])/gi
const ATTRIBUTE = /([a-z-]+\d?)(?:="([^"]*)")?/gi
const SHAPES = ['path', 'use', 'rect', 'stop']
const VOID = ['meta', 'link', 'img', 'input', 'hr', 'br', 'col']

/** @throws Error with the position at which the markup is not well formed */
export function parseHtml(html: string): Parsed {
  const tags: Tag[] = []
  const open: string[] = []
  let text = ''
  let end = 0
  for (const match of html.matchAll(TOKEN)) {
    const { close, name, rest = '', empty, text: content, stray } = match.groups ?? {}
    const here = html.slice(Math.max(0, match.index - 60), match.index + 60)
    if (match.index !== end || stray) throw new Error(`stray character near ${here}`)
    end = match.index + match[0].length
    if (content) text += unescapeHtml(content)
    if (!name) continue
    if (close) {
      if (open.pop() !== name) throw new Error(`</${name}> near ${here}`)
      continue
    }
    // Only SVG shapes are self-closing.
    if (empty && !SHAPES.includes(name)) throw new Error(`<${name}/> near ${here}`)
    if (!empty && !VOID.includes(name)) open.push(name)
    const attributes = [...rest.matchAll(ATTRIBUTE)].map(
      ([, key = '', value = '']) => [key, unescapeHtml(value)] as const,
    )
    if (new Set(attributes.map(([key]) => key)).size < attributes.length)
      throw new Error(`an attribute twice near ${here}`)
    tags.push({ name, attributes: new Map(attributes) })
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(' ')}`)
  return { tags, text }
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Resolves the five escapes that hono/html writes. @throws Error on any other ampersand */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:[a-z]+;|#[0-9]+;)?/g, (entity) => {
    const character = ENTITIES[entity]
    if (character === undefined) throw new Error(`${entity} is not one of our escapes`)
    return character
  })
}

/** The outline of a document: its tags and the names of their attributes. */
export const outline = ({ tags }: Parsed): string[] =>
  tags.map(({ name, attributes }) => [name, ...attributes.keys()].join(' '))
