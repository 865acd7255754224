// Tests that the lines of a template are joined as a browser shows them.
import { expect, test } from 'vitest'
import { html } from '../../../server/pages/parts/html.ts'

test.each([
  [
    'an indented line leaves no space next to a tag of a block, and within an element of text',
    html`<ul class="${'plain'}">
      ${['a', 'b'].map(
        (item) => html`<li>
        <a href="${item}">
          ${item}
        </a>
      </li>`,
      )}
    </ul>`,
    '<ul class="plain"><li><a href="a">a</a></li><li><a href="b">b</a></li></ul>',
  ],
  [
    'an indented line is one space between words, elements of text and values',
    html`<p>
      One
      <b>two</b>
      ${'three'}
      <img src="4">
      <a href="5">five</a>
    </p>`,
    '<p>One <b>two</b> three <img src="4"> <a href="5">five</a></p>',
  ],
  [
    'an indented line is one space within a tag',
    html`<a class="x"
      href="${'/'}">top</a>`,
    '<a class="x" href="/">top</a>',
  ],
  [
    'a line without an indentation begins a line of the page',
    html`<ul>
<li>a</li>
</ul>`,
    '<ul>\n<li>a</li>\n</ul>',
  ],
  [
    'a line without an indentation continues the indented line above if it is the closing tag',
    html`<p>
  One
  two
</p>
<p>three</p>`,
    '<p>One two</p>\n<p>three</p>',
  ],
  [
    'values keep their line breaks and are escaped',
    html`<pre>${'a\n  <b'}</pre>`,
    '<pre>a\n  &lt;b</pre>',
  ],
])('%s', (_, shown, expected) => {
  expect(String(shown)).toBe(expected)
})
