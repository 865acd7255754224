// What stands within a line of Markdown: code, strong and emphasised text, links, escapes.
import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** A line's text as HTML. */
export type Inline = (text: string) => Html

/** In the order in which they win at one place. */
const MARKS = new RegExp(
  [
    /(?<fence>`+)(?<code>.+?)\k<fence>(?!`)/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /\[(?<text>(?:\\.|`[^`]*`|[^\]\\])+)\]\((?<target>[^()\s]+)\)/,
    /<(?<address>https?:[^\s<>]+)>/,
    /\*\*(?<strong>(?=\S).+?\S??)\*\*/,
    /\*(?<starred>[^\s*](?:[^*]*[^\s*])?)\*/,
    /(?<![\p{L}\p{N}_])_(?<underlined>[^\s_](?:[^_]*[^\s_])?)_(?![\p{L}\p{N}_])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
)

/** @param base the address that relative links start from */
export function inlineReader(base: string): Inline {
  const inline: Inline = (text) => {
    const parts: (Html | string)[] = []
    let at = 0
    for (const match of text.matchAll(MARKS)) {
      parts.push(text.slice(at, match.index), markOf(match.groups ?? {}, inline, base))
      at = match.index + match[0].length
    }
    parts.push(text.slice(at))
    return html`${parts}`
  }
  return inline
}

type Groups = Record<string, string | undefined>

function markOf(groups: Groups, inline: Inline, base: string): Html | string {
  const { code, escaped, text, target, address, strong } = groups
  const emphasised = groups.starred ?? groups.underlined
  if (code !== undefined) return html`<code>${unpadded(code)}</code>`
  if (escaped !== undefined) return escaped
  if (text !== undefined)
    return html`<a href="${resolved(target as string, base)}">${inline(text)}</a>`
  if (address !== undefined) return html`<a href="${address}">${address}</a>`
  if (strong !== undefined) return html`<strong>${inline(strong)}</strong>`
  return html`<em>${inline(emphasised as string)}</em>`
}

/** One space inside each end only keeps a backtick from the fence. */
const unpadded = (code: string): string => /^ (.*[^ ].*) $/s.exec(code)?.[1] ?? code

/** Relative links start from where the document's own files are served; of absolute ones only http(s) lead anywhere. */
function resolved(target: string, base: string): string {
  if (target.startsWith('#')) return target
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return /^https?:/i.test(target) ? target : '#'
  const { pathname, search, hash } = new URL(target, `http://host${base}`)
  return `${pathname}${search}${hash}`
}
