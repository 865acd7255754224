// Random texts for properties.
import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/** Any Unicode character. Unlike fast-check's unit `binary`, it builds no table of all million characters. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count))

/** Any well-formed text. */
export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}) =>
  fc.string({ unit: character, ...constraints })
