// Markdown as HTML, as far as protocol/SPEC.md uses it: headings, paragraphs, lists, tables, quotations, fenced code, rules;
// code, emphasis and links within a line. Anything else, HTML too, is shown as the text that it is.
import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { type Inline, inlineReader } from './markdown-inline.ts'

/** A block read from `lines[at]` on, and the line after it. */
type Read = { block: Html; next: number } | null

interface Reading {
  inline: Inline
  /** Slugs of the headings so far, with their number. */
  slugs: Map<string, number>
}

/** @param base the address that relative links start from, as in /transmissions/protocol/ */
export function renderMarkdown(text: string, base: string): Html {
  const reading = { inline: inlineReader(base), slugs: new Map() }
  return html`${readBlocks(text.split(/\r?\n/), reading)}`
}

const READERS = [readCode, readHeading, readRule, readTable, readQuote, readList]

function readBlocks(lines: string[], reading: Reading): Html[] {
  const blocks: Html[] = []
  let at = 0
  while (at < lines.length) {
    if (lineAt(lines, at).trim() === '') {
      at++
      continue
    }
    const { block, next } = readBlock(lines, at, reading) ?? readParagraph(lines, at, reading)
    blocks.push(block, html`\n`)
    at = next
  }
  return blocks
}

function readBlock(lines: string[], at: number, reading: Reading): Read {
  for (const reader of READERS) {
    const read = reader(lines, at, reading)
    if (read) return read
  }
  return null
}

const lineAt = (lines: string[], at: number): string => lines[at] ?? ''

function readParagraph(lines: string[], at: number, reading: Reading) {
  let next = at + 1
  while (lineAt(lines, next).trim() !== '' && !startsBlock(lines, next)) next++
  const text = lines.slice(at, next).join('\n').trim()
  return { block: html`<p>${reading.inline(text)}</p>`, next }
}

/** What ends a paragraph without a blank line before it. */
const startsBlock = (lines: string[], at: number): boolean =>
  /^(?:```|#{1,6} |>|[-*] |1\. )/.test(lineAt(lines, at))

function readCode(lines: string[], at: number): Read {
  const [, fence, language = ''] = /^(```+)\s*([\w-]*)\s*$/.exec(lineAt(lines, at)) ?? []
  if (fence === undefined) return null
  const end = lines.findIndex((line, i) => i > at && line.trim() === fence)
  const next = end === -1 ? lines.length : end
  const code = lines.slice(at + 1, next).join('\n')
  const name = language === '' ? '' : html` class="language-${language}"`
  return { block: html`<pre><code${name}>${code}\n</code></pre>`, next: next + 1 }
}

function readHeading(lines: string[], at: number, { inline, slugs }: Reading): Read {
  const [, marks, text = ''] = /^(#{1,6}) +(.+?)(?: +#+)?\s*$/.exec(lineAt(lines, at)) ?? []
  if (marks === undefined) return null
  const id = freshSlug(text, slugs)
  const content = inline(text)
  const headings = [
    html`<h1 id="${id}">${content}</h1>`,
    html`<h2 id="${id}">${content}</h2>`,
    html`<h3 id="${id}">${content}</h3>`,
  ]
  return { block: headings[marks.length - 1] ?? html`<h4 id="${id}">${content}</h4>`, next: at + 1 }
}

/** The anchor that code hosting sites give a heading, so that links within the document work here and there. */
function freshSlug(text: string, slugs: Map<string, number>): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
  const slug = words.trim().replace(/\s/g, '-')
  const count = slugs.get(slug) ?? 0
  slugs.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}

function readRule(lines: string[], at: number): Read {
  return /^(?:-{3,}|\*{3,})\s*$/.test(lineAt(lines, at))
    ? { block: html`<hr>`, next: at + 1 }
    : null
}

const DELIMITER_ROW = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

function readTable(lines: string[], at: number, { inline }: Reading): Read {
  const delimiters = lineAt(lines, at + 1)
  if (!lineAt(lines, at).includes('|') || !delimiters.includes('-')) return null
  if (!DELIMITER_ROW.test(delimiters)) return null
  const isNumber = cellsOf(delimiters).map((cell) => cell.endsWith(':') && !cell.startsWith(':'))
  let next = at + 2
  while (lineAt(lines, next).includes('|')) next++
  const head = cellsOf(lineAt(lines, at)).map((cell) => html`<th scope="col">${inline(cell)}</th>`)
  const rowOf = (line: string) =>
    html`<tr>${cellsOf(line).map((cell, i) =>
      isNumber[i] ? html`<td class="number">${inline(cell)}</td>` : html`<td>${inline(cell)}</td>`,
    )}</tr>\n`
  const rows = lines.slice(at + 2, next).map(rowOf)
  const block = html`<div class="scroll"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
  return { block, next }
}

/** The cells of a row; a bar that is escaped, or in code, belongs to its cell. */
function cellsOf(line: string): string[] {
  const row = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  const cells = row.match(/(?:\\.|`[^`]*`|[^|])+|(?<=\|)(?=\|)/g) ?? []
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function readQuote(lines: string[], at: number, reading: Reading): Read {
  let next = at
  while (lineAt(lines, next).startsWith('>')) next++
  if (next === at) return null
  const inner = lines.slice(at, next).map((line) => line.replace(/^> ?/, ''))
  return { block: html`<blockquote>${readBlocks(inner, reading)}</blockquote>`, next }
}

const ITEM = /^( {0,3}(?:([-*])|([0-9]{1,9})\.) +)(.*)$/

function readList(lines: string[], at: number, reading: Reading): Read {
  const [, , bullet, number] = ITEM.exec(lineAt(lines, at)) ?? []
  if (bullet === undefined && number === undefined) return null
  const items: Html[] = []
  let next = at
  for (;;) {
    const match = ITEM.exec(lineAt(lines, next))
    if (!match || (match[2] === undefined) !== (bullet === undefined)) break
    const end = endOfItem(lines, next + 1, (match[1] as string).length)
    const inner = lines.slice(next + 1, end).map((line) => line.slice(indentOf(line, match)))
    items.push(html`<li>${itemContent([match[4] as string, ...inner], reading)}</li>\n`)
    next = end
  }
  const start = number === undefined || number === '1' ? '' : html` start="${number}"`
  const block = bullet ? html`<ul>\n${items}</ul>` : html`<ol${start}>\n${items}</ol>`
  return { block, next }
}

const indentOf = (line: string, [, marker = '']: RegExpExecArray): number =>
  Math.min(marker.length, line.length - line.trimStart().length)

/** An item goes on over indented lines, and over the unindented ones of its first paragraph. */
function endOfItem(lines: string[], from: number, indent: number): number {
  let end = from
  let wasBlank = false
  for (let at = from; at < lines.length; at++) {
    const line = lineAt(lines, at)
    if (line.trim() === '') {
      wasBlank = true
      continue
    }
    const isInside = line.startsWith(' '.repeat(indent))
    if (!isInside && (wasBlank || ITEM.test(line) || startsBlock(lines, at))) break
    end = at + 1
    wasBlank = false
  }
  return end
}

/** A first paragraph stands bare in its item. */
function itemContent(lines: string[], reading: Reading): Html | Html[] {
  let end = 1
  while (lineAt(lines, end).trim() !== '' && !startsBlock(lines, end)) end++
  const lead = reading.inline(lines.slice(0, end).join('\n').trim())
  const rest = readBlocks(lines.slice(end), reading)
  return html`${lead}${rest}`
}
