// Tests the watch over the modes, at whose changes a server writes a heartbeat (FORMAT.md 5).
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchModes } from '../../../server/modes/current.ts'
import type { Modes } from '../../../server/modes/rules.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('each change of the modes is noticed once, and the first one even right after the start', async () => {
  let current: Modes = { readOnly: false, disabled: [] }
  const onChange = vi.fn(async () => {})
  const warn = vi.fn()
  const watch = watchModes({ modes: async () => current, onChange, log: { warn } })
  const counts: number[] = []
  for (const readOnly of [true, true, false]) {
    current = { readOnly, disabled: [] }
    await vi.advanceTimersByTimeAsync(500)
    counts.push(onChange.mock.calls.length)
  }
  watch.stop()
  current = { readOnly: true, disabled: [] }
  await vi.advanceTimersByTimeAsync(500)
  expect([...counts, onChange.mock.calls.length]).toEqual([1, 1, 2, 2])
  expect(warn).not.toHaveBeenCalled()
})
