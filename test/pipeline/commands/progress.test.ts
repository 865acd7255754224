// The progress bar of a command, and that of a run over several days.
// Rules: COMMANDS.md 1.1.
import { describe, expect, it } from 'vitest'
import { progressBar } from '../../../archive/base/progress-bar.ts'
import { daysProgress } from '../../../pipeline/commands/snapshot-summary.ts'
import { system } from '../../../server/system/system.ts'

/** A fake terminal with a clock that the test advances. */
function terminal(isTTY = true) {
  let written = ''
  const clock = { now: 0 }
  const write = (text: string) => {
    written += text
  }
  const stream = { isTTY, write }
  return {
    clock,
    bar: [stream, { ...system.clock, monotonic: () => clock.now }] as unknown as Parameters<
      typeof progressBar
    >,
    written: () => written,
    shown: () => written.split('\r').at(-1)?.replace('\u001b[2K', ''),
  }
}

describe('the progress bar', () => {
  it('the bar shows the completed part and, once it can be estimated, the time left', () => {
    const { clock, bar, shown } = terminal()
    const { show } = progressBar(...bar)
    show(0, 'a')
    expect(shown()).toBe('[------------------------]   0 % a')
    clock.now = 65_000
    show(0.5, 'b')
    expect(shown()).toBe('[############------------]  50 % 1:05 left b')
    clock.now += 1000
    show(null, '3 MB c')
    expect(shown()).toBe('3 MB c')
  })

  it('the time left of a later phase is estimated from that phase alone', () => {
    const { clock, bar, shown } = terminal()
    const { show } = progressBar(...bar)
    show(0, 'checking')
    clock.now = 60_000
    show(1, 'checking')
    clock.now += 1000
    show(0.1, 'importing')
    expect(shown()).toBe('[##----------------------]  10 % importing')
    clock.now += 3000
    show(0.4, 'importing')
    expect(shown()).toBe('[##########--------------]  40 % 0:06 left importing')
  })

  it('the bar is drawn at most ten times a second, and clearing it leaves an empty line', () => {
    const { clock, bar, shown } = terminal()
    const { show, clear } = progressBar(...bar)
    show(0, 'a')
    clock.now = 99
    show(0.5, 'b')
    expect(shown()).toContain('a')
    clear()
    expect(shown()).toBe('')
  })

  it('the bar is not drawn when the output is not a terminal', () => {
    const { bar, written } = terminal(false)
    const { show, clear } = progressBar(...bar)
    show(0.5, 'a')
    clear()
    expect(written()).toBe('')
  })
})

describe('the progress of several days', () => {
  it('progress increases through every stage of a day', () => {
    const { clock, bar, shown } = terminal()
    const progress = daysProgress(...bar)
    progress.begin(2)
    const percents = (
      [
        ['snapshot', 0],
        ['sound', 0],
        ['picture', 0],
        ['film', 0],
        ['film', 0.5],
        ['film', 1],
        ['seal', 0],
        ['verify', 0],
      ] as const
    ).map(([stage, fraction]) => {
      clock.now += 100
      progress.show('2026-11-16', stage, fraction)
      return Number(/(\d+) %/.exec(shown()!)![1])
    })
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    expect(new Set(percents).size).toBeGreaterThan(6)
    expect(Math.max(...percents)).toBeLessThan(50)
    progress.complete('2026-11-16')
    clock.now += 100
    progress.show('2026-11-17', 'snapshot', 0)
    expect(shown()).toContain(' 50 %')
  })

  it('progress is not shown for a single day', () => {
    const { bar, written } = terminal()
    const progress = daysProgress(...bar)
    progress.begin(1)
    progress.show('2026-11-16', 'film', 0.5)
    progress.clear()
    expect(written()).toBe('')
  })
})
