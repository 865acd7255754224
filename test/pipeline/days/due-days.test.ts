// Tests which days are due at an instant (COMMANDS.md 2.1).
// Rules: FORMAT.md 2.6; COMMANDS.md 2.1, 2.3.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDay } from '../../../archive/format/calendar.ts'
import { daysBetween, dueDays, rejectionOf } from '../../../pipeline/days/due-days.ts'

const at = (text: string) => Date.parse(text)
const NOW = at('2026-11-20T00:05:00Z')

describe('due days', () => {
  it('no day is due before the board has begun, and none on its first day', () => {
    expect(dueDays(NOW, null, new Set())).toEqual([])
    expect(dueDays(NOW, at('2026-11-20T00:00:00Z'), new Set())).toEqual([])
    expect(dueDays(NOW, at('2031-01-01T00:00:00Z'), new Set())).toEqual([])
  })

  it('a day that was begun but not sealed is due once it has ended, however old it is', () => {
    const begun = ['2026-11-19', '2026-10-01', '2026-10-02', '2026-11-20']
    expect(dueDays(NOW, null, new Set(['2026-10-02']), begun)).toEqual(['2026-10-01', '2026-11-19'])
    expect(dueDays(NOW, NOW, new Set(['2026-10-02']), begun)).toEqual(['2026-10-01', '2026-11-19'])
  })

  it('the due days change at midnight UTC', () => {
    const beginning = at('2026-11-19T08:00:00Z')
    expect(dueDays(at('2026-11-19T23:59:59.999Z'), beginning, new Set())).toEqual([])
    expect(dueDays(at('2026-11-20T00:00:00Z'), beginning, new Set())).toEqual(['2026-11-19'])
  })

  it('only days that a frame can name are due', () => {
    const beginning = at('2149-06-06T12:00:00Z')
    expect(dueDays(at('1970-01-02T12:00:00Z'), -1, new Set())).toEqual(['1970-01-01'])
    expect(dueDays(at('2149-06-07T12:00:00Z'), beginning, new Set())).toEqual(['2149-06-06'])
    expect(dueDays(at('2149-06-09T12:00:00Z'), beginning, new Set())).toEqual(['2149-06-06'])
  })

  it('the due days complete the archive from the beginning of the board to yesterday', () => {
    const anyDay = fc.integer({ min: 0, max: 400 })
    fc.assert(
      fc.property(anyDay, fc.uniqueArray(anyDay), (age, ages) => {
        const dayAt = (days: number) => new Date(NOW - days * 86_400_000).toISOString().slice(0, 10)
        const archived = new Set(ages.map(dayAt))
        const due = dueDays(NOW, NOW - age * 86_400_000, archived)
        const whole = daysBetween(dayAt(age), dayAt(1))
        expect(whole.filter((day) => !archived.has(day))).toEqual(due)
        expect(due.every(isDay)).toBe(true)
      }),
    )
  })
})

describe('requested days', () => {
  it('a requested day is rejected until it has ended', () => {
    expect(rejectionOf('2026-11-20', NOW)).toContain('the day has not ended')
    expect(rejectionOf('2026-11-21', NOW)).toContain('has not ended')
    expect(rejectionOf('2026-11-19', NOW)).toBeNull()
  })

  it('a requested day is rejected when the protocol cannot name it', () => {
    expect(rejectionOf('1969-12-31', NOW)).toContain('1970-01-01 to 2149-06-06')
    expect(rejectionOf('2149-06-07', at('2149-06-09T00:00:00Z'))).toContain('2149-06-06')
    expect(rejectionOf('1970-01-01', NOW)).toBeNull()
  })
})
