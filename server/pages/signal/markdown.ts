// Renders Markdown as HTML with marked, adding heading ids, focusable scroll regions and resolved links.

import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { command } from '../parts/command.ts'
import { type Html, html, raw } from '../parts/html.ts'

/** A heading of the second level. */
interface Chapter {
  id: string
  title: string
}

/**
 * Renders Markdown. Headings get the ids that code hosting sites give them, so that links within a document work on
 * both. Boxes that scroll sideways are focusable by keyboard. Raw HTML is shown as text.
 * @param base the path that relative links are resolved against, for example /transmissions/protocol/
 */
export function renderMarkdown(text: string, base: string): { html: Html; chapters: Chapter[] } {
  const chapters: Chapter[] = []
  const marked = new Marked({ async: false, renderer: rendererFor(base, chapters) })
  return { html: raw(marked.parse(text) as string), chapters }
}

function rendererFor(base: string, chapters: Chapter[]): RendererObject {
  const slugs = new Map<string, number>()
  let section = ''
  let regions = 0
  /** Names a region; the names must be unique on the page. */
  const regionLabel = (kind: 'Listing' | 'Table') => {
    regions += 1
    return `${kind} ${regions}${section === '' ? '' : `: ${section}`}`
  }
  return {
    heading({ tokens, depth }) {
      section = plainText(tokens)
      const id = uniqueSlug(section, slugs)
      if (depth === 2) chapters.push({ id, title: section })
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    code({ text, lang }) {
      if (lang === 'sh') return String(command(text))
      const language = lang ? html` class="language-${lang}"` : ''
      return String(
        html`<pre tabindex="0" role="region" aria-label="${regionLabel('Listing')}"><code${language}>${text}\n</code></pre>\n`,
      )
    },
    table({ header, rows }) {
      const contentOf = ({ tokens }: Tokens.TableCell) => raw(this.parser.parseInline(tokens))
      // An empty corner cell is not a header.
      const headOf = (cell: Tokens.TableCell) =>
        cell.text === '' ? html`<td></td>` : html`<th scope="col">${contentOf(cell)}</th>`
      const cellOf = (cell: Tokens.TableCell) =>
        html`<td${cell.align === 'right' ? html` class="number"` : ''}>${contentOf(cell)}</td>`
      return String(html`<div class="scroll" tabindex="0" role="region" aria-label="${regionLabel('Table')}"><table>
<thead><tr>${header.map(headOf)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cellOf)}</tr>\n`)}</tbody>
</table></div>
`)
    },
    link({ href, tokens }) {
      return String(
        html`<a href="${resolved(href, base)}">${raw(this.parser.parseInline(tokens))}</a>`,
      )
    },
    html: ({ text }) => String(html`${text}`),
  }
}

const plainText = (tokens: Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens
        ? plainText(token.tokens)
        : 'text' in token
          ? (token.text as string)
          : token.raw,
    )
    .join('')

function uniqueSlug(text: string, slugs: Map<string, number>): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
  const slug = words.trim().replace(/\s/g, '-')
  const count = slugs.get(slug) ?? 0
  slugs.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}

/** Resolves a relative link against `base`. An absolute link with a scheme other than http or https is disabled. */
function resolved(target: string, base: string): string {
  if (target.startsWith('#')) return target
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return /^https?:/i.test(target) ? target : '#'
  const { pathname, search, hash } = new URL(target, `http://host${base}`)
  return `${pathname}${search}${hash}`
}
