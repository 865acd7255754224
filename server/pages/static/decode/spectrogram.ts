// Draws the spectrogram of a recording as it is read, and each transmission with the states of its tones.
import { NIGHT } from '../../../../archive/drawing/colours.ts'
import {
  encodeTones,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  SYNC_PERIOD,
  slotFrequency,
} from '../../../../protocol/index.ts'
import type { SlotState, Transmission } from '../../../../protocol/receiver/index.ts'
import { COLUMNS_PER_SECOND, HIGHEST, LOWEST, ROWS, STEPS_PER_DECIBEL } from './levels.ts'

/** The contrast runs from the median level to the loudest, within these bounds [steps]. */
const LEAST_DEPTH = 12 * STEPS_PER_DECIBEL
const MOST_DEPTH = 40 * STEPS_PER_DECIBEL
/** Width of the recording's image [pixels]. */
const WIDTH = 1092
/** Height of a row in a transmission's image [pixels]. */
const ROW_HEIGHT = 3
/** The smallest width of a wide page [CSS pixels]. */
const WIDE_PAGE = 640
/** Radius of a mark [pixels]. */
const MARK_RADIUS = 3.5

/** The colours from dark to bright, each as red, green and blue. */
const RAMP = [NIGHT.ground, NIGHT.rule, NIGHT.link, NIGHT.ink].map((hex) =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)),
)

/** The levels of a recording that have arrived so far. */
export class Recording {
  readonly #limit: number
  #levels = new Uint8Array(0)
  #length = 0
  /** Columns that are no longer kept. */
  #dropped = 0
  /** Histogram of the levels that are kept. */
  readonly #counts = new Uint32Array(256)
  #range = { darkest: 0, depth: LEAST_DEPTH }

  /** @param limit of the columns: at least so many of the last are kept, and at most twice as many */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit * ROWS
  }

  /** Number of columns that have arrived. */
  get columns(): number {
    return this.#dropped + this.#length / ROWS
  }

  add(levels: Uint8Array): void {
    if (this.#length > 2 * this.#limit) this.#drop(this.#length - this.#limit)
    if (this.#length + levels.length > this.#levels.length) {
      const larger = new Uint8Array(2 * (this.#length + levels.length))
      larger.set(this.#levels.subarray(0, this.#length))
      this.#levels = larger
    }
    this.#levels.set(levels, this.#length)
    this.#length += levels.length
    for (const level of levels) this.#counts[level] = (this.#counts[level] as number) + 1
    this.#range = this.#contrastRange()
  }

  #drop(count: number): void {
    for (const level of this.#levels.subarray(0, count)) (this.#counts[level] as number)--
    this.#levels.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#dropped += count / ROWS
  }

  /** The row with the highest level in a column. */
  loudestRow(column: number): number {
    const at = (column - this.#dropped) * ROWS
    const levels = this.#levels.subarray(Math.max(0, at), Math.max(0, at + ROWS))
    return levels.indexOf(Math.max(...levels))
  }

  #contrastRange(): { darkest: number; depth: number } {
    const loudest = this.#counts.findLastIndex((count) => count > 0)
    let below = 0
    const median = this.#counts.findIndex((count) => {
      below += count
      return below > this.#length / 2
    })
    const depth = Math.min(Math.max(loudest - median, LEAST_DEPTH), MOST_DEPTH)
    // Digital silence, which has no level below it, is dark.
    return { darkest: Math.max(0, loudest - depth), depth }
  }

  /** Returns the brightness of a row, 0 to 1, in the loudest of the columns `from` to `to` (exclusive). */
  brightness(row: number, from: number, to: number): number {
    let loudest = 0
    const last = Math.min(to, this.columns) - this.#dropped
    for (let column = Math.max(0, from - this.#dropped); column < last; column++)
      loudest = Math.max(loudest, this.#levels[column * ROWS + row] as number)
    const { darkest, depth } = this.#range
    return Math.max(0, (loudest - darkest) / depth)
  }
}

/** Draws what has arrived, in the same fraction of the width. @param fraction of the recording that has arrived */
export function drawRecording(
  canvas: HTMLCanvasElement,
  recording: Recording,
  fraction: number,
): void {
  const total = recording.columns / fraction
  canvas.width = WIDTH
  canvas.height = ROWS
  paint(canvas, ROWS, (x, row) => {
    const from = Math.floor((x * total) / WIDTH)
    return recording.brightness(
      row,
      from,
      Math.max(from + 1, Math.floor(((x + 1) * total) / WIDTH)),
    )
  })
}

/** The rows from 500 to 2,700 Hz. */
const FIRST_ROW = ((500 - LOWEST) * ROWS) / (HIGHEST - LOWEST)
const SEEN_ROWS = ((2700 - 500) * ROWS) / (HIGHEST - LOWEST)
/** Width and height of a cell in that image [pixels]. */
const CELL = 3

/**
 * Draws the last seconds, newest on the right.
 * @param heardFrom the first column whose strongest tone is marked
 */
export function drawLatest(
  canvas: HTMLCanvasElement,
  recording: Recording,
  heardFrom: number,
): void {
  // Twice a transmission, or once on a narrow page.
  const columns = innerWidth >= WIDE_PAGE ? 2 * SLOTS : SLOTS
  const first = recording.columns - columns
  canvas.width = columns * CELL
  canvas.height = SEEN_ROWS * CELL
  // One pixel for each cell, because all of it is drawn for each new column.
  const cells = new OffscreenCanvas(columns, SEEN_ROWS)
  paint(cells, SEEN_ROWS, (x, row) =>
    recording.brightness(FIRST_ROW + row, first + x, first + x + 1),
  )
  const context = contextOf(canvas)
  context.strokeStyle = NIGHT.good
  // The style sheet scales the image to the page, but not the marks.
  const scale = Math.max(1, canvas.width / (canvas.clientWidth || canvas.width))
  context.lineWidth = scale
  context.imageSmoothingEnabled = false
  context.drawImage(cells, 0, 0, canvas.width, canvas.height)
  for (let column = Math.max(first, heardFrom); column < recording.columns; column++) {
    const x = column - first + 0.5
    const y = SEEN_ROWS + FIRST_ROW - recording.loudestRow(column) - 0.5
    context.beginPath()
    context.arc(x * CELL, y * CELL, scale * MARK_RADIUS, 0, 2 * Math.PI)
    context.stroke()
  }
}

/** Frames the transmissions in the image of the recording. */
export function markTransmissions(
  canvas: HTMLCanvasElement,
  recording: Recording,
  transmissions: readonly Transmission[],
): void {
  const context = contextOf(canvas)
  const xOf = (seconds: number) => (seconds * COLUMNS_PER_SECOND * WIDTH) / recording.columns
  context.strokeStyle = NIGHT.good
  context.lineWidth = 2
  for (const { diagnostics } of transmissions) {
    const seconds = (SLOTS * SYMBOL_SAMPLES) / SAMPLE_RATE / diagnostics.speed
    context.strokeRect(xOf(diagnostics.start), 1, xOf(seconds), ROWS - 2)
  }
}

/** Draws the spectrogram of a transmission slot by slot, and marks the tones that were sent. */
export function drawTransmission(
  canvas: HTMLCanvasElement,
  recording: Recording,
  { frame, diagnostics }: Transmission,
): void {
  const { start, speed, translation, slots } = diagnostics
  // The style sheet scales the image to the page; a narrower image keeps the marks round on a narrow page.
  const slotWidth = innerWidth >= WIDE_PAGE ? 4 : 2
  canvas.width = SLOTS * slotWidth
  canvas.height = ROWS * ROW_HEIGHT
  const columnOf = (slot: number) =>
    Math.round((start + (slot * SYMBOL_SAMPLES) / SAMPLE_RATE / speed) * COLUMNS_PER_SECOND)
  paint(canvas, ROWS, (x, row) => {
    const column = columnOf(Math.floor(x / slotWidth))
    return recording.brightness(row, column, column + 1)
  })
  const context = contextOf(canvas)
  for (const [slot, tone] of encodeTones(frame).entries()) {
    const frequency = slotFrequency(tone, slot) * speed + translation
    const y = (1 - (frequency - LOWEST) / (HIGHEST - LOWEST)) * canvas.height
    mark(context, (slot + 0.5) * slotWidth, y, slots[slot] as SlotState, slot % SYNC_PERIOD === 0)
  }
}

function mark(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  state: SlotState,
  isSync: boolean,
): void {
  context.beginPath()
  if (isSync) context.rect(x - MARK_RADIUS, y - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS)
  else context.arc(x, y, MARK_RADIUS, 0, 2 * Math.PI)
  context.setLineDash(state === 'absent' ? [2, 2] : [])
  context.strokeStyle = state === 'heard' ? NIGHT.good : NIGHT.warning
  context.fillStyle = NIGHT.good
  context.lineWidth = 1.5
  if (state === 'heard') context.fill()
  context.stroke()
}

/** @param brightnessAt returns the brightness, 0 to 1, at a pixel column and one of so many rows, the lowest first */
function paint(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  rows: number,
  brightnessAt: (x: number, row: number) => number,
): void {
  const { width, height } = canvas
  const context = contextOf(canvas)
  const image = context.createImageData(width, height)
  const pixels = new Uint32Array(image.data.buffer)
  for (let y = 0; y < height; y++) {
    const row = rows - 1 - Math.floor((y * rows) / height)
    for (let x = 0; x < width; x++)
      pixels[y * width + x] = SHADES[Math.round(Math.min(brightnessAt(x, row), 1) * 255)] as number
  }
  context.putImageData(image, 0, 0)
}

/** Pixels from dark to bright: red, green, blue and opacity, in the order of the bytes. */
const SHADES = new Uint32Array(
  Uint8Array.from(
    Array.from({ length: 256 }, (_, i) => {
      const at = Math.min(i / 255, 1 - Number.EPSILON) * (RAMP.length - 1)
      const [low, high] = RAMP.slice(Math.floor(at)) as [number[], number[]]
      return [...low.map((value, i) => value + ((high[i] as number) - value) * (at % 1)), 255]
    }).flat(),
    Math.round,
  ).buffer,
)

const contextOf = (canvas: HTMLCanvasElement | OffscreenCanvas): CanvasRenderingContext2D =>
  canvas.getContext('2d') as CanvasRenderingContext2D
