// Tests the choice between JSON and HTML by Accept.
// Rules: API.md 2.1.
import { expect, test } from 'vitest'
import { prefersJson } from '../../../server/http/call.ts'
import { callOf } from '../../support/call.ts'

const prefersJsonFor = (accept?: string) =>
  prefersJson(callOf('/', accept === undefined ? {} : { accept }))

test.each([
  ['application/json'],
  ['Application/JSON'],
  ['application/json;q=0.2'],
  ['text/html;q=0.8, application/json;q=0.9'],
  ['application/*'],
  ['application/json, text/html;q=0.9, */*;q=0.1'],
  ['text/html;q=0, */*'],
])('Accept "%s" selects JSON', (accept) => {
  expect(prefersJsonFor(accept)).toBe(true)
})

test.each([
  [undefined],
  ['*/*'],
  ['text/html'],
  ['application/json, text/html'],
  ['application/json;q=0.5, text/html;q=0.5'],
  ['application/json;q=0.4, */*;q=0.5'],
  ['application/json;q=0, */*;q=0.1'],
  ['image/png'],
  [''],
  [';;;,,=q'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
])('Accept "%s" selects HTML', (accept) => {
  expect(prefersJsonFor(accept)).toBe(false)
})

test.each([['json'], ['txt'], ['csv'], ['atom'], ['sha256'], ['leaves'], ['receipt']])(
  'an address that ends in .%s is data whatever Accept prefers, except below /d/',
  (ending) => {
    const fields = { accept: 'text/html' }
    expect(prefersJson(callOf(`/missing.${ending}`, fields))).toBe(true)
    expect(prefersJson(callOf(`/d/garden.${ending}`, fields))).toBe(false)
  },
)
