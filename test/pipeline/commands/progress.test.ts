// The progress bar of a run of several days.
import { describe, expect, it } from 'vitest'
import { progressBar } from '../../../pipeline/commands/progress.ts'

function terminal(isTTY: boolean) {
  let written = ''
  const stream = { isTTY, write: (text: string) => (written += text) }
  return { stream: stream as unknown as NodeJS.WriteStream, read: () => written }
}
const lastLine = (written: string) => written.split('\r').at(-1)?.replace('\u001b[2K', '')

describe('the progress bar', () => {
  it('shows the part of all days that is done, the day and what is being made', () => {
    const { stream, read } = terminal(true)
    const bar = progressBar(stream, 4)
    bar.show('2026-11-16', 'snapshot', 0)
    expect(lastLine(read())).toBe('[------------------------]   0 % 2026-11-16 snapshot')
    bar.advance()
    bar.advance()
    bar.show('2026-11-18', 'snapshot', 0)
    expect(lastLine(read())).toBe('[############------------]  50 % 2026-11-18 snapshot')
  })

  it('moves forward through every stage of a day', () => {
    const { stream, read } = terminal(true)
    const bar = progressBar(stream, 2)
    const parts = [
      ['snapshot', 0],
      ['sound', 0],
      ['picture', 0],
      ['video', 0],
      ['video', 0.5],
      ['video', 1],
      ['seal', 0],
      ['verify', 0],
    ] as const
    const percents = parts.map(([stage, fraction]) => {
      bar.show('2026-11-16', stage, fraction)
      return Number(/(\d+) %/.exec(lastLine(read())!)![1])
    })
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    expect(new Set(percents).size).toBeGreaterThan(6)
    expect(Math.max(...percents)).toBeLessThan(50)
  })

  it('leaves an empty line behind', () => {
    const { stream, read } = terminal(true)
    const bar = progressBar(stream, 2)
    bar.show('2026-11-16', 'video', 0.5)
    bar.clear()
    expect(lastLine(read())).toBe('')
  })

  it.each([
    [1, true],
    [5, false],
  ])('is silent for %i days on a terminal: %s', (days, isTTY) => {
    const { stream, read } = terminal(isTTY)
    const bar = progressBar(stream, days)
    bar.show('2026-11-16', 'video', 0.5)
    bar.clear()
    expect(read()).toBe('')
  })
})
