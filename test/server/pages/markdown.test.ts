// Rendering of Markdown: what our pages need beyond the library.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../server/pages/signal/markdown.ts'
import { parseHtml } from './html.ts'

const SPEC = readFileSync(new URL('../../../protocol/SPEC.md', import.meta.url), 'utf8')

const render = (text: string) =>
  String(renderMarkdown(text, '/base/').html).replaceAll('>\n<', '><').trim()

test.each([
  [
    'the id of a heading is made of its words',
    '## 3.1 The `frame`, *whole*',
    '<h2 id="31-the-frame-whole">3.1 The <code>frame</code>, <em>whole</em></h2>',
  ],
  ['equal headings have different ids', '# A\n# A', '<h1 id="a">A</h1><h1 id="a-1">A</h1>'],
  ['code contains no markup', '`*a* <b>`', '<p><code>*a* &lt;b&gt;</code></p>'],
  [
    'relative links are resolved against the base',
    '[v](vectors/a.json) [s](#x)',
    '<p><a href="/base/vectors/a.json">v</a> <a href="#x">s</a></p>',
  ],
  ['a javascript: link is disabled', '[v](javascript:1)', '<p><a href="#">v</a></p>'],
  ['inline HTML is shown as text', 'a <img src=x>', '<p>a &lt;img src=x&gt;</p>'],
  ['an HTML block is shown as text', '<img src=x>', '&lt;img src=x&gt;'],
  [
    'a listing is focusable by keyboard and named after its section',
    '# Bits\n```text\n a *b*\n\n<c>\n```',
    '<h1 id="bits">Bits</h1><pre tabindex="0" role="region" aria-label="Listing 1: Bits"><code class="language-text"> a *b*\n\n&lt;c&gt;\n</code></pre>',
  ],
])('%s', (_what, markdown, expected) => {
  expect(render(markdown)).toBe(expected)
})

test('a table has headers with a scope, right-aligned numbers, and a region to scroll in', () => {
  const html = render('| a | b |\n| --- | ---: |\n| `x` | 1 \\| 2 |\n|  | 3 |')
  expect(html).toContain('<div class="scroll" tabindex="0" role="region" aria-label="Table 1">')
  expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>')
  expect(html).toContain('<tr><td><code>x</code></td><td class="number">1 | 2</td></tr>')
  expect(html).toContain('<tr><td></td><td class="number">3</td></tr>')
})

test('HTML never passes through, whatever the text', () => {
  const pieces = '* ** ` ``` - 1. | |---| [ ]( ) > # \\ _ <script> a'.split(' ')
  const piece = fc.constantFrom(...pieces, ' ', '  ', '\n', '\n\n', '- ', '1. ', '> ', '# ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(render(pieces.join(''))).not.toContain('<script')
    }),
    { numRuns: 500 },
  )
})

test('all of SPEC.md is rendered: no Markdown syntax remains outside code', () => {
  const prose = render(SPEC)
    .replaceAll(/<pre[^>]*>.*?<\/pre>/gs, '')
    .replaceAll(/<code>.*?<\/code>/gs, '')
    .replaceAll(/<[^>]+>/g, '')
  expect(prose).not.toMatch(/\*\*|`|\]\(|^\s*\||^#|^\s*[-*] |&lt;[a-z]/m)
})

test('SPEC.md renders to well-formed HTML in which every region has a unique name', () => {
  const { tags } = parseHtml(render(SPEC))
  const names = tags.flatMap(({ attributes }) =>
    attributes.get('role') === 'region' ? [attributes.get('aria-label')] : [],
  )
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})
