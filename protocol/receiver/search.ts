// Where a transmission may be: every start, speed and translation is tried on the sync tones (SPEC.md 9.3).
import { BASE_BINS, SLOTS, SYNC_TONES, TONE_SPACING } from '../constants.ts'
import { SYNC_SLOTS } from '../sync.ts'
import { toneEvidence } from './evidence.ts'
import { COLUMNS, FIRST_BIN, HOP, SLOT_LENGTH, type Spectrogram } from './spectrogram.ts'

/** Frames of a slot at speed 1. */
export const SLOT_FRAMES = SLOT_LENGTH / HOP
/** Hz between two columns. */
export const COLUMN_SPACING = TONE_SPACING / 2

/** A place in time, speed and frequency at which a transmission may lie. */
export interface Candidate {
  /** Frame at which slot 0 begins; may be negative or past the end. */
  frame: number
  /** How much faster than sent: 1.01 is 1 % faster and higher. */
  speed: number
  /** Translation in Hz, on top of what the speed does. */
  shift: number
  /** Whether the spectrum is mirrored about the middle of the band, before the translation. */
  inverted: boolean
  /** ln of the likelihood ratio against noise. */
  score: number
}

/** What is searched for. */
export interface SearchRange {
  /** Speeds are 1 + i * SPEED_STEP, |i| <= speeds. */
  speeds: number
  /** Translations are whole columns, at most this many either way. */
  columns: number
  inverted: boolean
}

const SPEED_STEP = 0.001
/** What a receiver must bear: tape speed off by 2.2 %, or a receiver mistuned by 20 Hz and more. */
export const FULL_RANGE: SearchRange = { speeds: 22, columns: 5, inverted: false }
/** A receiver mistuned by up to 94 Hz whose clock is good, and the same on the wrong sideband. */
export const MISTUNED_RANGE: SearchRange = { speeds: 2, columns: 20, inverted: false }
export const INVERTED_RANGE: SearchRange = { speeds: 2, columns: 20, inverted: true }

/** How far outside the recording a transmission may begin or end, in slots; as good as half of it. */
const OVERHANG = 150
/** Candidates closer than this in time are one. */
const APART_FRAMES = SLOT_FRAMES

/** Evidence of sync tones, a column after the other so that the starts of one hypothesis are neighbours. */
export interface SyncEvidence {
  cells: Float32Array
  frames: number
}

export function syncEvidence({ power, frames }: Spectrogram): SyncEvidence {
  const cells = new Float32Array(power.length)
  for (let frame = 0, from = 0; frame < frames; frame++) {
    for (let to = frame; to < cells.length; to += frames) cells[to] = toneEvidence(power[from++]!)
  }
  return { cells, frames }
}

/** The best `limit` candidates, the best one first. */
export function search(evidence: SyncEvidence, range: SearchRange, limit: number): Candidate[] {
  const first = -OVERHANG * SLOT_FRAMES
  const starts = evidence.frames + (2 * OVERHANG - SLOTS) * SLOT_FRAMES + 1
  if (evidence.frames === 0 || starts < 1) return []
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
  return peaks(best, limit).map((at) => ({
    frame: first + at,
    ...hypotheses[winner[at]!]!,
    score: best[at]!,
  }))
}

type Hypothesis = Pick<Candidate, 'speed' | 'shift' | 'inverted'>

function hypothesesOf({ speeds, columns, inverted }: SearchRange): Hypothesis[] {
  const around = (count: number) => Array.from({ length: 2 * count + 1 }, (_, i) => i - count)
  return around(speeds).flatMap((i) =>
    around(columns).map((j) => ({
      speed: 1 + i * SPEED_STEP,
      shift: j * COLUMN_SPACING,
      inverted,
    })),
  )
}

/** The column, with a fraction, in which a bin (in tone units) appears; it may lie outside the spectrogram. */
export function columnOf(bin: number, { speed, shift, inverted }: Hypothesis): number {
  const column = 2 * (bin * speed - FIRST_BIN) + shift / COLUMN_SPACING
  return inverted ? COLUMNS - 1 - column : column
}

/** scores[i] becomes the sum over the sync cells of a transmission that begins in frame first + i. */
function scoreStarts(
  { cells, frames }: SyncEvidence,
  hypothesis: Hypothesis,
  first: number,
  scores: Float32Array,
): void {
  scores.fill(0)
  for (let k = 0; k < SYNC_TONES.length; k++) {
    const slot = SYNC_SLOTS[k]!
    const column = Math.round(columnOf(BASE_BINS[slot & 1]! + SYNC_TONES[k]!, hypothesis))
    if (column < 0 || column >= COLUMNS) continue
    const offset = first + Math.round((slot * SLOT_FRAMES) / hypothesis.speed)
    const end = Math.min(scores.length, frames - offset)
    let from = column * frames + offset + Math.max(0, -offset)
    for (let i = Math.max(0, -offset); i < end; i++) scores[i]! += cells[from++]!
  }
}

/** Indices of the highest values, none within APART_FRAMES of a higher one. */
function peaks(values: Float32Array, limit: number): number[] {
  const tops = Array.from(values.keys()).filter((i) => isPeak(values, i))
  return tops.sort((a, b) => values[b]! - values[a]!).slice(0, limit)
}

function isPeak(values: Float32Array, i: number): boolean {
  const end = Math.min(values.length, i + APART_FRAMES)
  for (let j = Math.max(0, i - APART_FRAMES + 1); j < end; j++) {
    if (values[j]! > values[i]! || (values[j] === values[i] && j < i)) return false
  }
  return true
}
