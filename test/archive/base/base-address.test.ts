// Parsing of the base addresses in settings and arguments.
// Rules: OPERATING.md 2.1.
import { expect, test } from 'vitest'
import { parseBaseAddress } from '../../../archive/base/base-address.ts'

test.each([
  ['https://day.example', 'https://day.example'],
  ['HTTPS://Day.example:443/', 'https://day.example'],
  ['http://127.0.0.1:65535//', 'http://127.0.0.1:65535'],
  ['http://[::1]:8080/board/', 'http://[::1]:8080/board'],
])('%s is normalized to %s', (text, address) => {
  expect(parseBaseAddress(text)).toBe(address)
})

test.each([
  ['day.example', /^must be an http or https address/],
  ['ftp://day.example', /^must be an http or https address/],
  ['http://', /^must be an http or https address/],
  ['http://me@day.example', /^must be without user and password$/],
  ['http://:secret@day.example', /^must be without user and password$/],
  ['http://day.example/?a=b', /^must be without query and fragment$/],
  ['http://day.example/?', /^must be without query and fragment$/],
  ['http://day.example/#top', /^must be without query and fragment$/],
  ['http://day.example:65536/x', /^must have a port up to 65535$/],
  ['http://day.example:port', /^must be an http or https address/],
])('%s is rejected with the broken rule', (text, rule) => {
  expect(() => parseBaseAddress(text)).toThrow(rule)
})
