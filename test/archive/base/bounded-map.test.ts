// Tests the one cache of bounded size.
import { expect, test } from 'vitest'
import { BoundedMap } from '../../../archive/base/bounded-map.ts'

test('the least recently used entry is evicted, and reading an entry is a use', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3])
})

test('entries are evicted by their sizes, also one that alone exceeds the limit', () => {
  const map = new BoundedMap<string, string>(5, (text) => text.length)
  map.set('a', 'xx')
  map.set('b', 'xxx')
  map.set('a', 'xxx')
  expect(map.get('b')).toBeUndefined()
  expect(map.get('a')).toBe('xxx')
  map.set('c', 'xxxxxx')
  expect([map.get('a'), map.get('c')]).toEqual([undefined, undefined])
  map.set('d', 'xxxxx')
  expect(map.get('d')).toBe('xxxxx')
})
