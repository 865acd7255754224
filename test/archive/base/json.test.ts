// Tests lossless JSON (API.md 1.1, 1.2, 1.7).
// Rules: API.md 1.2, 1.7.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseJson, stringifyJson } from '../../../archive/base/json.ts'

test('every 64-bit integer is parsed and written without losing a digit', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (id) => {
      expect(parseJson(`{"id":${id}}`)).toEqual({ id })
      expect(stringifyJson({ id })).toBe(`{"id":${id}}`)
    }),
  )
})

test.each(['1.0', '1e0', '1E2', '-0.5', '9223372036854775808.0'])(
  'the number %s is not an integer token, so it does not become a bigint',
  (token) => {
    expect(typeof parseJson(token)).toBe('number')
  },
)

test('numbers of all forms are parsed alike, whatever else is in the text', () => {
  const tokens = fc.constantFrom(
    ...['0', '-0', '7', '-12', '999999999999999', '9007199254740993', '1.0', '1e2', '-0.5', '2E-3'],
  )
  const texts = fc.constantFrom('plain', '1.5', '-0', '1e5', '\\"9007199254740993\\"')
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, tokens), { minLength: 1 }), (items) => {
      const text = `[${items.map(([said, token]) => `{"${said}":[${token},"${said}"]}`).join(',')}]`
      const alone = (token: string) =>
        /^-?[0-9]+$/.test(token) ? BigInt(token) : (JSON.parse(token) as number)
      const values = (parseJson(text) as object[]).map(
        (item) => (Object.values(item)[0] as unknown[])[0],
      )
      expect(values).toEqual(items.map(([, token]) => alone(token)))
    }),
  )
})

test('a repeated key is rejected, even if it is spelled with an escape', () => {
  expect(() => parseJson('{"a":1,"a":2}')).toThrow('the key "a" is repeated')
  expect(() => parseJson('{"a":1,"\\u0061":2}')).toThrow('is repeated')
  expect(() => parseJson('[{"x":{"a":1,"b":{},"a":1}}]')).toThrow('is repeated')
})

test('the same key in different objects and strings that look like keys are accepted', () => {
  expect(parseJson('[{"a":"a\\":"},{"a":[{"a":"{,:"}]}]')).toEqual([
    { a: 'a":' },
    { a: [{ a: '{,:' }] },
  ])
})

test('deep nesting is rejected and does not overflow the stack', () => {
  expect(() => parseJson('['.repeat(65_000) + ']'.repeat(65_000))).toThrow(
    'nested deeper than 32 levels',
  )
  expect(parseJson('['.repeat(32) + ']'.repeat(32))).toBeDefined()
})

test.each([
  ['{"body":"', '\\\\"', 43_000],
  ['"', '\\"', 65_000],
])(
  'an unterminated string of escapes is rejected without a scan from each quotation mark: %s',
  (start, repeated, count) => {
    const scan = vi.spyOn(RegExp.prototype, 'exec')
    let failure: unknown
    try {
      parseJson(start + repeated.repeat(count))
    } catch (error) {
      failure = error
    }
    const scans = scan.mock.calls.length
    scan.mockRestore()
    expect(failure).toBeInstanceOf(SyntaxError)
    expect(scans).toBe(0)
  },
)

test('a text is scanned in as many steps as it has brackets, strings, commas and colons', () => {
  const scan = vi.spyOn(RegExp.prototype, 'exec')
  const steps = [1_000, 2_000].map((n) => {
    const before = scan.mock.calls.length
    parseJson(`[${Array(n).fill('{"a":"\\""}').join(',')}]`)
    return scan.mock.calls.length - before
  })
  scan.mockRestore()
  // Before that, one bracket more is found than the deepest text may have.
  expect(steps).toEqual([1_000 * 6 + 2 + 33, 2_000 * 6 + 2 + 33])
})

test('__proto__ stays a property that a schema can reject', () => {
  expect(Object.keys(parseJson('{"__proto__":1}') as object)).toEqual(['__proto__'])
})

test('any JSON value except integers is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text))
    }),
  )
})
