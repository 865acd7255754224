// Tests which of several hosts is used, given what each tells about itself and what was used before.
// Rules: OPERATING.md 14.1.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { elect, type HostAnswer } from '../../../../server/database/postgres/election.ts'
import type { Seen } from '../../../../server/database/postgres/position.ts'

const primary = (host: string, system: string | null, timeline: number | null): HostAnswer => ({
  host,
  isReplica: false,
  system,
  timeline,
})
const replica = (host: string, system: string | null): HostAnswer => ({
  host,
  isReplica: true,
  system,
  timeline: null,
})
const seen = (system: string | null, timelines: Record<string, number> = {}): Seen => ({
  system,
  timelines,
})

/** No cluster was used before; or timeline 2 of cluster x. */
const [FIRST, SECOND] = [seen(null), seen('x', { x: 2 })]

describe('a host is chosen', () => {
  test.each<[rule: string, HostAnswer[], Seen, host: string]>([
    ['the only primary', [replica('a', 'x'), primary('b', 'x', 1)], FIRST, 'b'],
    ['the highest timeline', [primary('a', 'x', 1), primary('b', 'x', 2)], FIRST, 'b'],
    ['the preferred one of equals', [primary('b', 'x', 2), primary('a', 'x', 2)], FIRST, 'b'],
    ['a timeline higher than any before', [primary('a', 'x', 3)], SECOND, 'a'],
    ['the timeline used before', [primary('a', 'x', 2)], SECOND, 'a'],
    [
      'the known cluster, whatever the timelines of others',
      [primary('a', 'y', 9), primary('b', 'x', 2)],
      SECOND,
      'b',
    ],
    ['the cluster of the first host', [primary('a', 'x', 1), primary('b', 'y', 9)], FIRST, 'a'],
    ['one that cannot tell', [primary('a', null, null)], SECOND, 'a'],
    ['one that can tell', [primary('a', null, null), primary('b', 'x', 2)], SECOND, 'b'],
    [
      'one that cannot tell before an old primary',
      [primary('a', 'x', 1), primary('b', null, null)],
      SECOND,
      'b',
    ],
  ])('%s', (_, answers, before, host) => {
    expect(elect(answers, before)).toMatchObject({ kind: 'chosen', host })
    expect(elect(answers, before)).not.toHaveProperty('notice')
  })

  test('another cluster that is alone, with a notice that names both', () => {
    const verdict = elect([primary('a', 'y', 1)], SECOND)
    expect(verdict).toEqual({
      kind: 'chosen',
      host: 'a',
      position: { system: 'y', timeline: 1 },
      notice: 'a serves another cluster (y) than before (x), and is used from now on',
    })
  })
})

describe('no host is chosen', () => {
  test.each<[rule: string, HostAnswer[], Seen, reason: RegExp]>([
    [
      'an old primary',
      [primary('a', 'x', 1)],
      SECOND,
      /^a writes on timeline 1, but timeline 2 of this cluster \(x\) has been used/,
    ],
    [
      'an old primary beside a replica',
      [primary('a', 'x', 1), replica('b', 'x')],
      SECOND,
      /^a writes on timeline 1/,
    ],
    [
      'another cluster beside an old primary',
      [primary('b', 'y', 1), primary('a', 'x', 1)],
      SECOND,
      /^a writes on timeline 1/,
    ],
    [
      'another cluster beside a replica of the known one',
      [primary('a', 'y', 5), replica('b', 'x')],
      SECOND,
      /^a serves another cluster \(y\), while b of the known one \(x\) responds$/,
    ],
    [
      'an old primary of a cluster that was left',
      [primary('a', 'x', 1)],
      seen('y', { x: 2, y: 1 }),
      /^a writes on timeline 1, but timeline 2/,
    ],
  ])('%s', (_, answers, before, reason) => {
    expect(elect(answers, before)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    })
  })

  test('replicas accept no writes', () => {
    expect(elect([replica('a', 'x'), replica('b', null)], seen('x', { x: 1 }))).toEqual({
      kind: 'none',
    })
    expect(elect([], FIRST)).toEqual({ kind: 'none' })
  })
})

test('no timeline of a cluster is ever used below one that was used before, whichever hosts respond', () => {
  const system = fc.constantFrom('x', 'y')
  const position = fc.record({ system, timeline: fc.integer({ min: 1, max: 4 }) })
  const answer = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), position)
  fc.assert(
    fc.property(fc.array(fc.array(answer, { maxLength: 3 }), { maxLength: 12 }), (elections) => {
      let before = FIRST
      for (const answers of elections) {
        const told = answers.map(([host, isReplica, { system, timeline }]) =>
          isReplica ? replica(host, system) : primary(host, system, timeline),
        )
        const verdict = elect(told, before)
        if (verdict.kind !== 'chosen' || !verdict.position) continue
        const { system, timeline } = verdict.position
        expect(timeline).toBeGreaterThanOrEqual(before.timelines[system] ?? 0)
        const sameCluster = told.flatMap((one) =>
          one.system === system ? [one.timeline ?? 0] : [],
        )
        expect(timeline).toBe(Math.max(...sameCluster))
        before = seen(system, { ...before.timelines, [system]: timeline })
      }
    }),
  )
})
