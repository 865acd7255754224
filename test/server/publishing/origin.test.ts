// The origin of a request.
// Rules: API.md 6.4.
import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  clientAddress,
  hashOrigin,
  originOf,
  parseTrustedProxies,
} from '../../../server/publishing/origin.ts'

const keyOf = (hex: string) => createSecretKey(hex, 'hex')
const none = parseTrustedProxies('')
const proxies = parseTrustedProxies('10.0.0.0/8, 2001:db8:1::/48,192.0.2.7')

test('X-Forwarded-For is ignored without trusted proxies', () => {
  expect(clientAddress('198.51.100.1', '203.0.113.9', none)).toBe('198.51.100.1')
})

test.each([
  ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['10.1.2.3', '1.1.1.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
  ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
  ['192.0.2.7', '203.0.113.9:4711', '203.0.113.9'],
  ['192.0.2.8', '203.0.113.9', '192.0.2.8'],
  ['2001:db8:1::5', '[2001:db8:ffff::1]:99', '2001:db8:ffff::1'],
  ['10.1.2.3', 'nonsense', '10.1.2.3'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
])('a peer %s with X-Forwarded-For %s has the address %s', (peer, forwardedFor, address) => {
  expect(clientAddress(peer, forwardedFor, proxies)).toBe(address)
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('the origin of %s is %s', (address, origin) => {
  expect(originOf(address)).toBe(origin)
})

test('two addresses of one /64 share an origin, and its hash depends on the key', () => {
  const [a, b] = ['2001:db8::1', '2001:db8::ffff'].map((ip) =>
    hashOrigin(keyOf('00ff'), originOf(ip)),
  )
  expect(a).toBe(b)
  expect(a).toMatch(/^[0-9a-f]{64}$/)
  expect(hashOrigin(keyOf('00fe'), originOf('2001:db8::1'))).not.toBe(a)
})

test.each(['banana', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0/8'])(
  'TRUST_PROXY rejects %s by name',
  (entry) => {
    expect(() => parseTrustedProxies(entry)).toThrow(JSON.stringify(entry))
  },
)
