// Where a transmission may be: every start, speed and translation is tried on the sync tones (SPEC.md 9.3).
import { BASE_BINS, SLOTS, SYNC_TONES, TONE_SPACING } from '../constants.ts'
import { SYNC_SLOTS } from '../sync.ts'
import { SLOT_LENGTH } from './baseband.ts'
import { toneEvidence } from './evidence.ts'
import { type Place, placeOf } from './place.ts'
import { rowOf, type Spectrogram } from './spectrogram.ts'

/** A place at which the sync tones may lie, and what they say for it: ln of the likelihood ratio against noise. */
export interface Hit {
  place: Place
  sync: number
}

/** What is searched for. */
export interface SearchRange {
  /** Speeds are 1 + i * SPEED_STEP, |i| <= speeds. */
  speeds: number
  /** Translations are whole rows, at most this many either way. */
  rows: number
}

export const SPEED_STEP = 0.001
/** An ordinary recording. */
export const PLAIN_RANGE: SearchRange = { speeds: 0, rows: 0 }
/** Tape speed off by 2.2 %, a receiver mistuned by 23 Hz. */
export const FULL_RANGE: SearchRange = { speeds: 22, rows: 5 }
export const FASTEST = 1 + FULL_RANGE.speeds * SPEED_STEP
/** A receiver mistuned by up to 94 Hz whose clock is good. */
export const MISTUNED_RANGE: SearchRange = { speeds: 2, rows: 20 }

/** How far outside the recording a transmission may begin or end [slots]: a little more than half of it. */
export const OVERHANG = 150

/** Evidence of sync tones, a row after the other so that the starts of one hypothesis are neighbours. */
export interface SyncEvidence {
  /** The spectrogram that it is of. */
  of: Spectrogram
  cells: Float32Array
}

export function syncEvidence(of: Spectrogram): SyncEvidence {
  const { power, columns } = of
  const cells = new Float32Array(power.length)
  for (let column = 0, from = 0; column < columns; column++) {
    for (let to = column; to < cells.length; to += columns) cells[to] = toneEvidence(power[from++]!)
  }
  return { of, cells }
}

/** The best `limit` hits, the best one first. */
export function search(evidence: SyncEvidence, range: SearchRange, limit: number): Hit[] {
  const { hop, columns, start, rowsPerTone } = evidence.of
  const slotColumns = SLOT_LENGTH / hop
  const first = -OVERHANG * slotColumns
  const starts = columns + (2 * OVERHANG - SLOTS) * slotColumns + 1
  if (columns === 0 || starts < 1) return []
  const hypotheses = hypothesesOf(range)
  const scores = new Float32Array(starts)
  const best = new Float32Array(starts).fill(Number.NEGATIVE_INFINITY)
  const winner = new Int32Array(starts)
  for (const [h, hypothesis] of hypotheses.entries()) {
    scoreStarts(evidence, hypothesis, first, scores)
    for (let at = 0; at < starts; at++) {
      if (scores[at]! <= best[at]!) continue
      best[at] = scores[at]!
      winner[at] = h
    }
  }
  return peaks(best, slotColumns, limit).map((at) => {
    const { speed, rows } = hypotheses[winner[at]!]!
    const translation = (rows * TONE_SPACING) / rowsPerTone
    return { place: placeOf(start + (first + at) * hop, speed, translation), sync: best[at]! }
  })
}

interface Hypothesis {
  speed: number
  /** The translation. */
  rows: number
}

function hypothesesOf(range: SearchRange): Hypothesis[] {
  const around = (count: number) => Array.from({ length: 2 * count + 1 }, (_, i) => i - count)
  return around(range.speeds).flatMap((i) =>
    around(range.rows).map((rows) => ({ speed: 1 + i * SPEED_STEP, rows })),
  )
}

/** scores[i] becomes the sum over the sync cells of a transmission that begins in column first + i. */
function scoreStarts(
  { of, cells }: SyncEvidence,
  { speed, rows }: Hypothesis,
  first: number,
  scores: Float32Array,
): void {
  scores.fill(0)
  for (let k = 0; k < SYNC_TONES.length; k++) {
    const slot = SYNC_SLOTS[k]!
    const row = Math.round(rowOf((BASE_BINS[slot & 1]! + SYNC_TONES[k]!) * speed, of) + rows)
    if (row < 0 || row >= of.rows) continue
    const offset = first + Math.round((slot * SLOT_LENGTH) / of.hop / speed)
    const end = Math.min(scores.length, of.columns - offset)
    let from = row * of.columns + offset + Math.max(0, -offset)
    for (let i = Math.max(0, -offset); i < end; i++) scores[i]! += cells[from++]!
  }
}

/** Indices of the highest values, none within `apart` of a higher one. */
function peaks(values: Float32Array, apart: number, limit: number): number[] {
  const tops = Array.from(values.keys()).filter((i) => isPeak(values, apart, i))
  return tops.sort((a, b) => values[b]! - values[a]!).slice(0, limit)
}

function isPeak(values: Float32Array, apart: number, i: number): boolean {
  const end = Math.min(values.length, i + apart)
  for (let j = Math.max(0, i - apart + 1); j < end; j++) {
    if (values[j]! > values[i]! || (values[j] === values[i] && j < i)) return false
  }
  return true
}
