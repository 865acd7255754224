// Tests that the lines of a template are joined as a browser shows them.
import { describe, expect, test } from 'vitest'
import { html } from '../../../server/pages/parts/html.ts'

describe('An indented line of a template', () => {
  test('leaves no space next to a tag of a block, and within an element of text', () => {
    const items = ['a', 'b'].map(
      (item) => html`<li>
        <a href="${item}">
          ${item}
        </a>
      </li>`,
    )
    expect(
      String(html`<ul class="${'plain'}">
      ${items}
    </ul>`),
    ).toBe('<ul class="plain"><li><a href="a">a</a></li><li><a href="b">b</a></li></ul>')
  })

  test('is one space between words, elements of text and values', () => {
    expect(
      String(html`<p>
      One
      <b>two</b>
      ${'three'}
      <img src="4">
      <a href="5">five</a>
    </p>`),
    ).toBe('<p>One <b>two</b> three <img src="4"> <a href="5">five</a></p>')
  })

  test('is one space within a tag', () => {
    expect(
      String(html`<a class="x"
      href="${'/'}">top</a>`),
    ).toBe('<a class="x" href="/">top</a>')
  })
})

describe('A line of a template without an indentation', () => {
  test('begins a line of the page', () => {
    expect(
      String(html`<ul>
<li>a</li>
</ul>`),
    ).toBe('<ul>\n<li>a</li>\n</ul>')
  })

  test('continues the indented line above if it is the closing tag', () => {
    expect(
      String(html`<p>
  One
  two
</p>
<p>three</p>`),
    ).toBe('<p>One two</p>\n<p>three</p>')
  })
})

test('values keep their line breaks and are escaped', () => {
  expect(String(html`<pre>${'a\n  <b'}</pre>`)).toBe('<pre>a\n  &lt;b</pre>')
})
