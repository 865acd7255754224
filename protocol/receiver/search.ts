// Searches all starts, speeds and translations for the sync tones (SPEC.md 9.3).
import { BASE_BINS, SLOTS, SYNC_TONES, TONE_SPACING } from '../constants.ts'
import { SYNC_SLOTS } from '../interleave.ts'
import { type Alignment, alignmentOf } from './alignment.ts'
import { SLOT_LENGTH } from './baseband.ts'
import { toneEvidence } from './evidence.ts'
import { rowOf, type Spectrogram } from './spectrogram.ts'

/** An alignment at which the sync tones may lie, and their evidence: the log-likelihood ratio against noise. */
export interface Hit {
  alignment: Alignment
  sync: number
}

/** The speeds and translations to search. */
export interface SearchRange {
  /** Speeds are 1 + i * SPEED_STEP, |i| <= speeds. */
  speeds: number
  /** Translations are whole spectrogram rows, at most this many either way. */
  rows: number
}

export const SPEED_STEP = 0.001
/** No error of speed or frequency. */
export const NOMINAL_RANGE: SearchRange = { speeds: 0, rows: 0 }
/** Tape speed off by up to 2.2 %, or a receiver mistuned by up to 23 Hz. */
export const FULL_RANGE: SearchRange = { speeds: 22, rows: 5 }
export const FASTEST = 1 + FULL_RANGE.speeds * SPEED_STEP
/** A receiver mistuned by up to 94 Hz, with an accurate clock. */
export const MISTUNED_RANGE: SearchRange = { speeds: 2, rows: 20 }

/** Maximum part of a transmission before the beginning or after the end of the recording [slots]: just over half. */
export const OVERHANG = 150

/** The evidence of a sync tone in each cell, row-major so that the starts of one hypothesis are contiguous. */
export interface SyncEvidence {
  spectrogram: Spectrogram
  cells: Float32Array
}

export function syncEvidence(spectrogram: Spectrogram): SyncEvidence {
  const { power, columns } = spectrogram
  const cells = new Float32Array(power.length)
  for (let column = 0, from = 0; column < columns; column++) {
    for (let to = column; to < cells.length; to += columns) cells[to] = toneEvidence(power[from++]!)
  }
  return { spectrogram, cells }
}

/**
 * Returns at most `limit` hits, best first.
 * @param overhang maximum part of a transmission before the beginning or after the end of the signal [slots]
 */
export function search(
  evidence: SyncEvidence,
  range: SearchRange,
  limit: number,
  overhang = OVERHANG,
): Hit[] {
  const { hop, columns, start, rowsPerTone } = evidence.spectrogram
  const slotColumns = SLOT_LENGTH / hop
  const first = -overhang * slotColumns
  const starts = columns + (2 * overhang - SLOTS) * slotColumns + 1
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
    return {
      alignment: alignmentOf(start + (first + at) * hop, speed, translation),
      sync: best[at]!,
    }
  })
}

interface Hypothesis {
  speed: number
  /** Translation [spectrogram rows]. */
  rows: number
}

function hypothesesOf(range: SearchRange): Hypothesis[] {
  const around = (count: number) => Array.from({ length: 2 * count + 1 }, (_, i) => i - count)
  return around(range.speeds).flatMap((i) =>
    around(range.rows).map((rows) => ({ speed: 1 + i * SPEED_STEP, rows })),
  )
}

/** Sets scores[i] to the evidence of the sync cells of a transmission that starts in column first + i. */
function scoreStarts(
  { spectrogram, cells }: SyncEvidence,
  { speed, rows }: Hypothesis,
  first: number,
  scores: Float32Array,
): void {
  scores.fill(0)
  for (let k = 0; k < SYNC_TONES.length; k++) {
    const slot = SYNC_SLOTS[k]!
    const row = Math.round(
      rowOf((BASE_BINS[slot & 1]! + SYNC_TONES[k]!) * speed, spectrogram) + rows,
    )
    if (row < 0 || row >= spectrogram.rows) continue
    const offset = first + Math.round((slot * SLOT_LENGTH) / spectrogram.hop / speed)
    const end = Math.min(scores.length, spectrogram.columns - offset)
    let from = row * spectrogram.columns + offset + Math.max(0, -offset)
    for (let i = Math.max(0, -offset); i < end; i++) scores[i]! += cells[from++]!
  }
}

/** Returns the indices of the highest values, none within `apart` of a higher one. */
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
