// Shows how far a command is, and the time left, while it works.
import type { Output } from './terminal.ts'

const BAR_WIDTH = 24
const CLEAR_LINE = '\r\u001b[2K'
/** The minimum time between two redraws. */
const REDRAW_MS = 100
/** The time left is shown after this much time and progress. */
const MIN_MEASURED_MS = 2000
const MIN_MEASURED_PART = 0.01

export interface ProgressBar {
  /** @param part the completed fraction, 0 to 1; null when the total is unknown @param label the current item */
  show(part: number | null, label: string): void
  /** Removes the bar, so that a line can be printed. */
  clear(): void
}

/**
 * Creates a progress bar with the time left. It is silent unless the stream is a terminal.
 * @param after delay before the bar appears [ms]
 */
export function progressBar(
  stream: Pick<Output, 'isTTY' | 'write'>,
  clock: { monotonic(): number },
  after = 0,
): ProgressBar {
  if (!stream.isTTY) return { show() {}, clear() {} }
  const begin = clock.monotonic()
  /** Where the work began, or the present phase of it: less is done than was before. */
  let first = { part: 0, at: begin }
  let last = 0
  let nextDraw = begin + after
  let isShown = false
  return {
    show(part, label) {
      const now = clock.monotonic()
      if (part !== null && part < last) first = { part, at: now }
      last = part ?? last
      if (now < nextDraw) return
      nextDraw = now + REDRAW_MS
      isShown = true
      const bar = part === null ? '' : `${barOf(part)}${timeLeft(first, { part, at: now })} `
      stream.write(`${CLEAR_LINE}${bar}${label}`)
    },
    clear() {
      if (isShown) stream.write(CLEAR_LINE)
      isShown = false
    },
  }
}

function barOf(part: number): string {
  const filled = Math.round(part * BAR_WIDTH)
  const percent = String(Math.floor(part * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${percent} %`
}

/** A completed fraction, 0 to 1, and the monotonic time [ms]. */
interface Reached {
  part: number
  at: number
}

/** Formats the estimated time left, like ` 2:05 left` [min:s]. */
function timeLeft(first: Reached, { part, at }: Reached): string {
  const [done, elapsedMs] = [part - first.part, at - first.at]
  if (elapsedMs < MIN_MEASURED_MS || done < MIN_MEASURED_PART) return ''
  const seconds = Math.ceil((elapsedMs * (1 - part)) / done / 1000)
  return ` ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`
}
