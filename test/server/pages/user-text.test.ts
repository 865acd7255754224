// User text: escaping, clamped bodies, first lines, source links.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  authorOf,
  bodyText,
  bodyWithin,
  clampedBody,
  firstLine,
  sourceLink,
} from '../../../server/pages/parts/user-text.ts'
import { parseHtml } from './html.ts'

const textOf = (html: unknown) => parseHtml(String(html)).text.trim()
const linkOf = (html: unknown) =>
  parseHtml(String(html))
    .tags.find(({ name }) => name === 'a')
    ?.attributes.get('href')

test('a short body is shown in full, without a link', () => {
  const body = 'one\ntwo\r\n\nthree'
  expect(textOf(clampedBody(body, '/messages/1'))).toBe(body)
  expect(linkOf(clampedBody(body, '/messages/1'))).toBeUndefined()
})

test('a list shows one blank line for several, and keeps how the next line begins', () => {
  const shown = clampedBody('one\n \n\t\r\n\n  two\n\nthree', '/messages/1')
  expect(textOf(shown)).toBe('one\n\n  two\n\nthree')
  expect(linkOf(shown)).toBeUndefined()
})

test.each([
  ['of one word of 16 KiB', 'W'.repeat(16_384), 'Read all 16 KiB'],
  ['of many lines', 'a\n'.repeat(100), 'Read all 200 bytes'],
  ['of characters beyond the basic plane', '🦔'.repeat(2_000), 'Read all 8 KiB'],
])('a body %s is cut and links to the whole text', (_what, body, link) => {
  const shown = clampedBody(body, '/messages/7')
  expect(textOf(shown)).toContain(link)
  expect(linkOf(shown)).toBe('/messages/7')
  const lines = textOf(shown).split('\n')
  expect(lines.length).toBeLessThanOrEqual(13)
  expect([...textOf(shown)].length).toBeLessThan(850)
  expect(textOf(shown).isWellFormed()).toBe(true)
})

test('an author label of only white space is shown like an absent one', () => {
  for (const label of ['', '   ', '\u3000']) expect(authorOf(label)).toBe('')
  expect(textOf(authorOf(' Ada '))).toBe('Ada')
})

test('the first line of a text is its first line that is not blank', () => {
  expect(firstLine('\n \u3000\n  A line.  \nAnother.')).toBe('A line.')
  expect(firstLine('x'.repeat(200))).toBe(`${'x'.repeat(100)} …`)
})

/** Characters and words that begin markup, or look like it, and others that may follow them. */
const MARKUP = [...'&<>"\'#;/!?-= \na4é', 'lt', 'amp', 'x3c', 'notit', 'script', '<!--', '</div>']
const markup = fc.array(fc.constantFrom(...MARKUP), { minLength: 1 }).map((parts) => parts.join(''))

test('a text with any markup is shown verbatim', () => {
  fc.assert(
    fc.property(markup, (text) => {
      const { tags, text: shown } = parseHtml(String(bodyText(text)))
      expect([tags.length, shown]).toEqual([1, text])
    }),
  )
})

test.each([...'"\''])('16 KiB of %s take little more than 16 KiB of HTML', (character) => {
  const body = character.repeat(16_384)
  expect(textOf(bodyWithin(16_400, body, '/messages/7.txt'))).toBe(body)
})

test('a text that is too large for its page is cut and links to the whole text', () => {
  const shown = bodyWithin(10_000, '<b>'.repeat(5_000), '/messages/7.txt')
  expect(textOf(shown)).toMatch(/^(?:<b>){500,}<?b? …\nRead all 15 KiB$/)
  expect(linkOf(shown)).toBe('/messages/7.txt')
  expect(String(shown).length).toBeLessThan(10_150)
})

test('a source link leads to the declared URL, whatever its characters', () => {
  const address = markup.map((text) => `https://example.org/?${text.replaceAll(/\s/g, '')}`)
  fc.assert(
    fc.property(address, (url) => {
      expect(new URL(linkOf(sourceLink(url)) ?? '').href).toBe(new URL(url).href)
    }),
  )
})

test('a source link shows the host and the beginning of the rest, and links to the whole URL', () => {
  const url = `https://example.org/${'a'.repeat(2_000)}`
  const shown = sourceLink(url)
  expect(linkOf(shown)).toBe(url)
  expect(textOf(shown)).toBe(`example.org/${'a'.repeat(59)}…`)
  expect(textOf(sourceLink('http://a.b'))).toBe('a.b')
  expect(textOf(sourceLink(`https://${'h'.repeat(300)}/`)).length).toBeLessThan(125)
})
