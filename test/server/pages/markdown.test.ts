// Markdown as far as protocol/SPEC.md uses it.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../server/pages/markdown.ts'

const render = (text: string) =>
  String(renderMarkdown(text, '/base/')).replaceAll('>\n<', '><').trim()

test.each([
  [
    'a heading gets its anchor',
    '## 3.1 The `frame`, *whole*',
    '<h2 id="31-the-frame-whole">3.1 The <code>frame</code>, <em>whole</em></h2>',
  ],
  ['equal headings get different anchors', '# A\n# A', '<h1 id="a">A</h1><h1 id="a-1">A</h1>'],
  ['lines make one paragraph, a blank line two', 'a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
  ['strong and emphasised text nest', '**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
  ['underscores within words are letters', 'a_b_c and _d_', '<p>a_b_c and <em>d</em></p>'],
  ['a lone star is a star', '2 * 3 * 4', '<p>2 * 3 * 4</p>'],
  ['nothing is read in code', '`*a* <b>`', '<p><code>*a* &lt;b&gt;</code></p>'],
  ['longer fences hold backticks', '`` a`b ``', '<p><code>a`b</code></p>'],
  ['a backslash takes a mark its meaning', '\\*a\\*', '<p>*a*</p>'],
  [
    'relative links start from the base',
    '[v](vectors/a.json) [s](#x)',
    '<p><a href="/base/vectors/a.json">v</a> <a href="#x">s</a></p>',
  ],
  ['a link to a script leads nowhere', '[v](javascript:1)', '<p><a href="#">v</a></p>'],
  [
    'an address in angle brackets is a link',
    '<https://x.y/z>',
    '<p><a href="https://x.y/z">https://x.y/z</a></p>',
  ],
  ['HTML is text', '<img src=x>', '<p>&lt;img src=x&gt;</p>'],
  [
    'fenced code is kept as it is',
    '```text\n a *b*\n\n<c>\n```',
    '<pre><code class="language-text"> a *b*\n\n&lt;c&gt;\n</code></pre>',
  ],
  ['a fence that never closes goes to the end', '```\na', '<pre><code>a\n</code></pre>'],
  ['a rule', 'a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
  ['a quotation holds blocks', '> # a\n> b', '<blockquote><h1 id="a">a</h1><p>b</p></blockquote>'],
  [
    'items go on over the next lines',
    '- a\n  b\n- c',
    '<ul><li>a\n  b</li><li>c</li></ul>'.replace('\n  ', '\n'),
  ],
  ['lists nest', '1. a\n   - b\n2. c', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
  ['a list may start at another number', '3. a', '<ol start="3"><li>a</li></ol>'],
  [
    'an item holds code',
    '- a\n\n  ```\n  b\n  ```',
    '<ul><li>a<pre><code>b\n</code></pre></li></ul>',
  ],
])('%s', (_what, markdown, expected) => {
  expect(render(markdown)).toBe(expected)
})

test('a table has its head, its numbers to the right, and bars within cells', () => {
  const html = render('| a | b |\n| --- | ---: |\n| `x|y` | 1 \\| 2 |\n|  | 3 |')
  expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>')
  expect(html).toContain('<tr><td><code>x|y</code></td><td class="number">1 | 2</td></tr>')
  expect(html).toContain('<tr><td></td><td class="number">3</td></tr>')
})

test('any text is rendered in a moment, and never lets HTML through', () => {
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

test('nothing of SPEC.md is left unread: no mark of Markdown stands outside code', () => {
  const spec = readFileSync(new URL('../../../protocol/SPEC.md', import.meta.url), 'utf8')
  const prose = render(spec)
    .replaceAll(/<pre>.*?<\/pre>/gs, '')
    .replaceAll(/<code>.*?<\/code>/gs, '')
    .replaceAll(/<[^>]+>/g, '')
  expect(prose).not.toMatch(/\*\*|`|\]\(|^\s*\||^#|^\s*[-*] |&lt;[a-z]/m)
})
