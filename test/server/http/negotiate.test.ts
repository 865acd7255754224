// Tests the choice between JSON and HTML by Accept.
// Rules: API.md 2.1.
import { expect, test } from 'vitest'
import { prefersJson } from '../../../server/http/call.ts'
import { callOf } from '../../support/call.ts'

test.each([
  ['JSON', 'application/json'],
  ['JSON', 'Application/JSON'],
  ['JSON', 'application/json;q=0.2'],
  ['JSON', 'text/html;q=0.8, application/json;q=0.9'],
  ['JSON', 'application/*'],
  ['JSON', 'application/json, text/html;q=0.9, */*;q=0.1'],
  ['JSON', 'text/html;q=0, */*'],
  ['HTML', undefined],
  ['HTML', '*/*'],
  ['HTML', 'text/html'],
  ['HTML', 'application/json, text/html'],
  ['HTML', 'application/json;q=0.5, text/html;q=0.5'],
  ['HTML', 'application/json;q=0.4, */*;q=0.5'],
  ['HTML', 'application/json;q=0, */*;q=0.1'],
  ['HTML', 'image/png'],
  ['HTML', ''],
  ['HTML', ';;;,,=q'],
  ['HTML', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
])('%s is selected by Accept "%s"', (kind, accept) => {
  const call = callOf('/', accept === undefined ? {} : { accept })
  expect(prefersJson(call)).toBe(kind === 'JSON')
})
