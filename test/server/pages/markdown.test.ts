// Markdown as HTML: what our pages need beyond the library that reads it.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../server/pages/markdown.ts'
import { parseHtml } from './html.ts'

const SPEC = readFileSync(new URL('../../../protocol/SPEC.md', import.meta.url), 'utf8')

const render = (text: string) =>
  String(renderMarkdown(text, '/base/')).replaceAll('>\n<', '><').trim()

test.each([
  [
    'a heading has an id made of its words',
    '## 3.1 The `frame`, *whole*',
    '<h2 id="31-the-frame-whole">3.1 The <code>frame</code>, <em>whole</em></h2>',
  ],
  ['equal headings have different ids', '# A\n# A', '<h1 id="a">A</h1><h1 id="a-1">A</h1>'],
  ['nothing is read in code', '`*a* <b>`', '<p><code>*a* &lt;b&gt;</code></p>'],
  [
    'relative links start from the base',
    '[v](vectors/a.json) [s](#x)',
    '<p><a href="/base/vectors/a.json">v</a> <a href="#x">s</a></p>',
  ],
  ['a link to a script leads nowhere', '[v](javascript:1)', '<p><a href="#">v</a></p>'],
  ['HTML is text', 'a <img src=x>', '<p>a &lt;img src=x&gt;</p>'],
  ['a block of HTML is text', '<img src=x>', '&lt;img src=x&gt;'],
  [
    'a listing scrolls, can be reached with the keyboard, and is named by its section',
    '# Bits\n```text\n a *b*\n\n<c>\n```',
    '<h1 id="bits">Bits</h1><pre tabindex="0" role="region" aria-label="Listing 1: Bits"><code class="language-text"> a *b*\n\n&lt;c&gt;\n</code></pre>',
  ],
])('%s', (_what, markdown, expected) => {
  expect(render(markdown)).toBe(expected)
})

test('a table has a head with scope, its numbers to the right, and a region to scroll in', () => {
  const html = render('| a | b |\n| --- | ---: |\n| `x` | 1 \\| 2 |\n|  | 3 |')
  expect(html).toContain('<div class="scroll" tabindex="0" role="region" aria-label="Table 1">')
  expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>')
  expect(html).toContain('<tr><td><code>x</code></td><td class="number">1 | 2</td></tr>')
  expect(html).toContain('<tr><td></td><td class="number">3</td></tr>')
})

test('no text lets HTML through', () => {
  const piece = fc.constantFrom(
    '*',
    '**',
    '`',
    '```',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '|',
    '| --- |',
    '[',
    '](',
    ')',
    '> ',
    '# ',
    '\\',
    '_',
    '<script>',
    'a',
    ' ',
    '  ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const html = String(renderMarkdown(pieces.join(''), '/base/'))
      expect(html).not.toContain('<script')
    }),
    { numRuns: 500 },
  )
})

test('the renderer handles all of SPEC.md: no mark of Markdown remains outside code', () => {
  const prose = render(SPEC)
    .replaceAll(/<pre[^>]*>.*?<\/pre>/gs, '')
    .replaceAll(/<code>.*?<\/code>/gs, '')
    .replaceAll(/<[^>]+>/g, '')
  expect(prose).not.toMatch(/\*\*|`|\]\(|^\s*\||^#|^\s*[-*] |&lt;[a-z]/m)
})

test('SPEC.md is well-formed HTML in which every region has a name of its own', () => {
  const { tags } = parseHtml(render(SPEC))
  const names = tags.flatMap(({ attributes }) =>
    attributes.get('role') === 'region' ? [attributes.get('aria-label')] : [],
  )
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})

test('every link within SPEC.md leads to one of its headings', () => {
  const { tags } = parseHtml(render(SPEC))
  const ids = tags.map(({ attributes }) => attributes.get('id'))
  for (const { attributes } of tags) {
    const href = attributes.get('href')
    if (href?.startsWith('#')) expect(ids, href).toContain(href.slice(1))
  }
})
