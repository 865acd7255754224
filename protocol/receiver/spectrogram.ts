// Computes the spectrogram of a baseband signal, normalized to its noise (SPEC.md 9.2).
import { CENTRE_BIN, type Signal, SLOT_LENGTH } from './baseband.ts'
import { FourierTransform } from './fft.ts'
import { Selector } from './select.ts'
import { noiseOfMedian } from './slots.ts'

/** Frequency of row 0 in tone units; the rows are symmetric about the band centre. */
const FIRST_BIN = 44

/** The resolution of a spectrogram. */
export interface Grid {
  /** Spacing of the columns [baseband samples]. */
  hop: number
  /** Rows per tone unit: 1 or 2. */
  rowsPerTone: number
}

/** An eighth of a slot, half a tone unit. */
export const FINE: Grid = { hop: 64, rowsPerTone: 2 }
/** A quarter of the cells: enough for a transmission of ordinary strength at the nominal speed. */
export const COARSE: Grid = { hop: 128, rowsPerTone: 1 }

/** Bounds how far the peaks rise above the noise: without noise, leakage would otherwise look like strong tones. */
export const CEILING = 50
/** Columns whose peak is below this fraction of the 90th percentile are silent and not used to estimate the noise. */
const SILENCE = 1e-5
/** At most about this many columns are sampled to estimate the noise of a row. */
const NOISE_COLUMNS = 400
/** One row in this many is sampled to estimate the noise of a column. */
const ROW_STEP = 4

/** Power in units of the noise, at [column * rows + row]. */
export interface Spectrogram extends Grid {
  power: Float32Array
  columns: number
  rows: number
  /** Start of column 0 [baseband samples from the beginning of the recording]. */
  start: number
}

/** Computes the spectrogram of `signal`; each column spans one slot length. */
export function spectrogram(signal: Signal, grid: Grid): Spectrogram {
  const columns = Math.max(Math.floor((signal.length - SLOT_LENGTH) / grid.hop) + 1, 0)
  const rows = 2 * grid.rowsPerTone * (CENTRE_BIN - FIRST_BIN) + 1
  const power = new Float32Array(columns * rows)
  const cells = { ...grid, power, columns, rows, start: signal.start }
  const transform = new FourierTransform(SLOT_LENGTH)
  for (let column = 0; column < columns; column++) transformColumn(transform, signal, column, cells)
  normalizeRows(cells)
  normalizeColumns(cells)
  return cells
}

/** Returns the spectrogram of the signal with its spectrum reversed about the band centre. */
export function mirroredCells(cells: Spectrogram): Spectrogram {
  const { power, rows } = cells
  const mirrored = new Float32Array(power.length)
  for (let at = 0; at < power.length; at += rows) {
    for (let row = 0; row < rows; row++) mirrored[at + row] = power[at + rows - 1 - row]!
  }
  return { ...cells, power: mirrored }
}

/** Returns the fractional row of a frequency in tone units; it may lie outside the spectrogram. */
export function rowOf(bin: number, { rowsPerTone }: Grid): number {
  return rowsPerTone * (bin - FIRST_BIN)
}

const HALF_BIN_COS = Float64Array.from({ length: SLOT_LENGTH }, (_, i) =>
  Math.cos((Math.PI * i) / SLOT_LENGTH),
)
const HALF_BIN_SIN = Float64Array.from(
  { length: SLOT_LENGTH },
  (_, i) => -Math.sin((Math.PI * i) / SLOT_LENGTH),
)

/** Whole tone units are the FFT bins of the signal, half units those of the signal shifted down by half a bin. */
function transformColumn(
  transform: FourierTransform,
  signal: Signal,
  column: number,
  cells: Spectrogram,
): void {
  const from = column * cells.hop
  const [real, imag] = [transform.real, transform.imag]
  for (let i = 0; i < SLOT_LENGTH; i++) {
    real[i] = signal.real[from + i]!
    imag[i] = signal.imag[from + i]!
  }
  transform.run()
  storeBins(transform, cells, column, 0)
  if (cells.rowsPerTone === 1) return
  const [shiftedReal, shiftedImag] = [transform.real, transform.imag]
  for (let i = 0; i < SLOT_LENGTH; i++) {
    const [x, y] = [signal.real[from + i]!, signal.imag[from + i]!]
    shiftedReal[i] = x * HALF_BIN_COS[i]! - y * HALF_BIN_SIN[i]!
    shiftedImag[i] = x * HALF_BIN_SIN[i]! + y * HALF_BIN_COS[i]!
  }
  transform.run()
  storeBins(transform, cells, column, 1)
}

function storeBins(
  { real, imag }: FourierTransform,
  { power, rows, rowsPerTone }: Spectrogram,
  column: number,
  firstRow: number,
): void {
  let bin = FIRST_BIN - CENTRE_BIN
  for (let row = firstRow; row < rows; row += rowsPerTone, bin++) {
    const at = bin & (SLOT_LENGTH - 1)
    power[column * rows + row] = real[at]! ** 2 + imag[at]! ** 2
  }
}

/** Divides each row by its noise, estimated over the columns that are not silent, or by a floor if that is higher. */
function normalizeRows({ power, columns, rows }: Spectrogram): void {
  const peaks = Float64Array.from({ length: columns }, (_, i) => peakOf(power, i * rows, rows))
  const strong = quantile(peaks, 0.9)
  const audible = Array.from(peaks.keys()).filter((column) => peaks[column]! > strong * SILENCE)
  if (audible.length === 0) return
  const step = Math.ceil(audible.length / NOISE_COLUMNS)
  const sampled = audible.filter((_, i) => i % step === 0)
  const selector = new Selector(sampled.length)
  const values = new Float64Array(sampled.length)
  const scales = Float32Array.from({ length: rows }, (_, row) => {
    for (let i = 0; i < sampled.length; i++) values[i] = power[sampled[i]! * rows + row]!
    return 1 / Math.max(noiseOfMedian(selector.median(values)), strong / CEILING)
  })
  for (let first = 0; first < power.length; first += rows) {
    for (let row = 0; row < rows; row++) power[first + row]! *= scales[row]!
  }
}

/** Divides each column that is noisier than the rest (a click, a louder passage) by its noise. */
function normalizeColumns({ power, columns, rows }: Spectrogram): void {
  const values = new Float64Array(Math.ceil(rows / ROW_STEP))
  const selector = new Selector(values.length)
  for (let column = 0; column < columns; column++) {
    const first = column * rows
    for (let i = 0; i < values.length; i++) values[i] = power[first + i * ROW_STEP]!
    const noise = noiseOfMedian(selector.median(values))
    if (noise <= 1) continue
    for (let at = first; at < first + rows; at++) power[at]! /= noise
  }
}

function peakOf(power: Float32Array, first: number, rows: number): number {
  let peak = 0
  for (let at = first; at < first + rows; at++) if (power[at]! > peak) peak = power[at]!
  return peak
}

function quantile(values: Float64Array, part: number): number {
  if (values.length === 0) return 0
  const rank = Math.floor(part * (values.length - 1))
  return new Selector(values.length).valueAtRank(values, values.length, rank)
}
