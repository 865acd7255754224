// Tests which parts of a text are addresses of messages.
// Rules: API.md 4.7.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressesIn, hostOf, MAX_MENTIONS } from '../../../server/wire/mentions.ts'

const HERE = 'board.example'

describe('addresses of messages in a text', () => {
  const found: [text: string, ids: bigint[], host?: string][] = [
    ['/messages/12', [12n]],
    ['See /messages/12.', [12n]],
    ['(/messages/12), "/messages/13"; </messages/14>', [12n, 13n, 14n]],
    ['first\n/messages/12\r\nlast', [12n]],
    ['/messages/12.json', [12n]],
    ['/messages/12について', [12n]],
    ['「/messages/12」', [12n]],
    ['/messages/9223372036854775807', [9223372036854775807n]],
    ['https://board.example/messages/12?x=1#y', [12n], HERE],
    ['HTTPS: http://Board.Example/messages/12', [12n], HERE],
    ['http://127.0.0.1:8080/messages/12', [12n], '127.0.0.1:8080'],
    ['https://board.example/base/messages/12', [12n], 'board.example/base'],
  ]
  test.each(found)('%j has an address', (text, ids, host = '') => {
    expect(addressesIn([text])).toEqual(ids.map((id) => ({ id, host })))
  })

  const none = [
    ...['messages/12', '/messages/', '/messages/0', '/messages/012', '/messages/-1'],
    ...['/messages/12a', '/messages/12/', '/messages/12-13', '/messages/12_', '/Messages/12'],
    ...['/messages/9223372036854775808', '/messages/99999999999999999999', '/d/messages/12'],
    ...['ftp://board.example/messages/12', 'https:///messages/12', '//board.example/messages/12'],
    ...['https://user@board.example/messages/12', 'https://a?u=/messages/12', 'x/messages/12'],
  ]
  test.each(none)('%j has none', (text) => {
    expect(addressesIn([text])).toEqual([])
  })

  test('an address that is repeated counts once, and only the first eight count', () => {
    const text = Array.from({ length: 30 }, (_, i) => `/messages/${Math.floor(i / 2) + 1}`)
    const ids = addressesIn([text.join(' '), '/messages/99']).map(({ id }) => id)
    expect(ids).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n])
    expect(MAX_MENTIONS).toBe(8)
  })

  test('a path alone makes whole addresses of the same message redundant', () => {
    const urls = 'https://a.example/messages/1 https://b.example/messages/1'
    const hosts = (text: string) => addressesIn([text]).map(({ host }) => host)
    expect(hosts(urls)).toEqual(['a.example', 'b.example'])
    expect(hosts(`${urls} /messages/1`)).toEqual([''])
  })

  test('any text around white space leaves an address as it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.bigInt(1n, 2n ** 63n - 1n), (text, id) => {
        fc.pre(!text.includes('/messages/'))
        expect(addressesIn([`${text} /messages/${id} ${text}`])).toEqual([{ id, host: '' }])
      }),
    )
  })
})

test('the host of a base URL is compared without its scheme and in lower case', () => {
  expect(hostOf('https://Board.Example:8443')).toBe('board.example:8443')
})
