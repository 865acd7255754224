// The hashes that the script of a message's page computes are those of Node.
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hash as inBrowser } from '../../../server/pages/static/check/crypto.ts'

test('the SHA-256 of the browser is that of Node for any bytes and texts', () => {
  const content = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(content, (data) => {
      expect(inBrowser('sha256', data, 'hex')).toBe(hash('sha256', data, 'hex'))
    }),
  )
})
