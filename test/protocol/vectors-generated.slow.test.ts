// The shipped vectors equal the output of their generator byte for byte, so neither was changed without the other.
// Rules: WRITING.md 2.1.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VECTOR_FILES } from '../fixtures/vectors/files.ts'

const folder = new URL('../../protocol/vectors/', import.meta.url)

test('every published file has a generator', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(VECTOR_FILES).sort())
})

for (const [name, make] of Object.entries(VECTOR_FILES)) {
  test(`${name} equals the output of its generator`, () => {
    const shipped = readFileSync(new URL(name, folder))
    // toEqual would take minutes to report how two recordings differ.
    expect(shipped.equals(Buffer.from(make()))).toBe(true)
  })
}
