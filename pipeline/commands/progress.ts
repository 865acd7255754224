// A progress bar for a run of several days, on a terminal.
import type { Stage } from '../run.ts'

/** The part of a day's time after which each stage begins; a video takes nearly all of it. */
const BEGINS: Record<Stage, number> = {
  snapshot: 0,
  sound: 0.02,
  picture: 0.12,
  video: 0.2,
  seal: 0.93,
  verify: 0.95,
}
const VIDEO_SHARE = BEGINS.seal - BEGINS.video
const WIDTH = 24
const CLEAR_LINE = '\r\u001b[2K'

export interface Progress {
  show(day: string, stage: Stage, fraction: number): void
  /** Counts one day as done. */
  advance(): void
  /** Takes the bar away, so that a line can be printed. */
  clear(): void
}

/** A bar for `total` days; silent for fewer than two, or when nobody watches. */
export function progressBar(stream: NodeJS.WriteStream, total: number): Progress {
  if (total < 2 || !stream.isTTY) return { show() {}, advance() {}, clear() {} }
  let done = 0
  return {
    show(day, stage, fraction) {
      const ofDay = BEGINS[stage] + (stage === 'video' ? fraction * VIDEO_SHARE : 0)
      stream.write(`${CLEAR_LINE}${barLine((done + ofDay) / total)} ${day} ${stage}`)
    },
    advance() {
      done += 1
    },
    clear() {
      stream.write(CLEAR_LINE)
    },
  }
}

function barLine(part: number): string {
  const filled = Math.round(part * WIDTH)
  const percent = String(Math.floor(part * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %`
}
