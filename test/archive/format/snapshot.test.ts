// Snapshots: canonical bytes, strict parsing, and the lenient parsing that `encode` uses.
// Rules: FORMAT.md 1.2-1.4, 2.6, 3.1, 3.3, 5.3, 13.1, 21.2.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArchiveError } from '../../../archive/base/errors.ts'
import {
  fieldsOf,
  parseAnySnapshot,
  parseSnapshot,
  type Snapshot,
  snapshotBytes,
} from '../../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import { makeSnapshot, perCounter } from '../days.ts'
import { refusalOf } from '../refusal.ts'
import { anySnapshot, DAY } from './any-snapshot.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('snapshots', () => {
  it('a snapshot survives a round trip through its bytes', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const bytes = snapshotBytes(snapshot)
        expect(parseSnapshot(bytes)).toEqual(snapshot)
        expect(snapshotBytes(parseSnapshot(bytes))).toEqual(bytes)
      }),
    )
  })

  it('a snapshot is written in one order, whatever the order of its properties', () => {
    const snapshot = makeSnapshot(DAY)
    const reversed = Object.fromEntries(Object.entries(snapshot).reverse()) as unknown as Snapshot
    expect(snapshotBytes(reversed)).toEqual(snapshotBytes(snapshot))
    expect(Object.keys(JSON.parse(decode(snapshotBytes(reversed))))).toEqual(Object.keys(snapshot))
  })

  it('a snapshot lists the twelve counters in the order of the protocol', () => {
    const snapshot = makeSnapshot(DAY)
    const counters = Object.fromEntries(Object.entries(snapshot.counters).reverse())
    const bytes = snapshotBytes({ ...snapshot, counters } as Snapshot)
    expect(Object.keys(JSON.parse(decode(bytes)).counters)).toEqual(COUNTER_NAMES)
  })

  it('a snapshot yields its fields for the audio, with an unavailable counter as null', () => {
    const snapshot = makeSnapshot(DAY, {
      counters: perCounter((i) => (i === 2 ? null : '18446744073709551615')),
      availability: perCounter((i) => i !== 2),
      conclusion: 'inconclusive',
    })
    expect(fieldsOf(snapshot)).toEqual({
      day: DAY,
      counters: perCounter((i) => (i === 2 ? null : 2n ** 64n - 1n)),
      coverage: 'complete',
      clock: 'ok',
      conclusion: 'inconclusive',
    })
  })

  const text = decode(snapshotBytes(makeSnapshot(DAY)))
  it.each<[string, string | RegExp, string, string]>([
    ['__proto__', '"day":', '"__proto__": {},\n  "day":', '__proto__: unknown property'],
    ['trailing data', /$/, '{}', 'is not JSON in UTF-8'],
    ['a year of six digits', '"2026-11-20T00:05', '"+012026-11-20T00:05', 'generated_at: must be'],
    ['deep nesting', /^[\s\S]*$/, '['.repeat(200_000), 'is not JSON in UTF-8'],
  ])('a snapshot with %s is rejected', (_, search, replacement, message) => {
    const changed = text.replace(search, replacement)
    expect(refusalOf(() => parseSnapshot(encode(changed)))).toContain(message)
  })

  it('the parser rejects a snapshot that is not UTF-8', () => {
    const bytes = Uint8Array.from(snapshotBytes(makeSnapshot(DAY)))
    bytes[20] = 0xff
    expect(refusalOf(() => parseSnapshot(bytes))).toContain('is not JSON in UTF-8')
  })

  it('a snapshot with any one byte changed is rejected or parses as another canonical snapshot', () => {
    const bytes = snapshotBytes(makeSnapshot(DAY))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Uint8Array.from(bytes)
        changed[at]! ^= change
        try {
          expect(snapshotBytes(parseSnapshot(changed))).toEqual(changed)
        } catch (error) {
          expect(error).toBeInstanceOf(ArchiveError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('the writer rejects a snapshot that breaks a rule', () => {
    const wrong = makeSnapshot(DAY, { previous: { day: '2026-11-20', sha256: '0'.repeat(64) } })
    expect(refusalOf(() => snapshotBytes(wrong))).toContain('previous.day: must be an earlier day')
  })
})

describe('snapshots in any spelling', () => {
  const spelled = (text: string) => parseAnySnapshot(encode(text))

  it('a snapshot is parsed with any white space, escapes and order of properties', () => {
    fc.assert(
      fc.property(anySnapshot, fc.nat(4), fc.boolean(), (snapshot, indent, returns) => {
        const backwards = Object.fromEntries(Object.entries(snapshot).reverse())
        const text = JSON.stringify(backwards, null, indent).replaceAll('"day"', '"\\u0064ay" ')
        expect(spelled(returns ? text.replaceAll('\n', '\r\n') : text)).toEqual(snapshot)
      }),
    )
  })

  const text = JSON.stringify(makeSnapshot(DAY))
  it.each([
    ['a repeated property', '"clock":', '"clock":{"status":"ok"},"clock":', 'is repeated'],
    ['an unknown property', '"clock":', '"extra":0,"clock":', 'extra: unknown property'],
    ['another type', '"day":"', '"day":0,"x":"', 'day: must be a date'],
  ])('a snapshot in any spelling with %s is rejected', (_, search, replacement, message) => {
    const changed = text.replace(search, replacement)
    expect(changed).not.toBe(text)
    const said = refusalOf(() => spelled(changed))
    expect(said).toMatch(/^invalid_snapshot: snapshot: [^\n]*$/)
    expect(said).toContain(message)
  })
})
