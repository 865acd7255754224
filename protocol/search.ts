// Where a transmission may be: every start, speed and translation is tried on the sync tones (SPEC.md 9.3).
import { BASE_BINS, SLOTS, SYNC_TONES, TONE_SPACING } from './constants.ts'
import { toneEvidence } from './evidence.ts'
import { COLUMNS, FIRST_BIN, HOP, SLOT_LENGTH, type Spectrogram } from './spectrogram.ts'
import { SYNC_SLOTS } from './sync.ts'

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
  /** ln of the likelihood ratio against noise. */
  score: number
}

export interface SearchRange {
  /** Speeds are 1 + i * speedStep, |i| <= speeds. */
  speeds: number
  speedStep: number
  /** Translations are whole columns, at most this many either way. */
  columns: number
}

/** What a receiver must bear: tape speed off by 2.2 %, or a receiver mistuned by 20 Hz and more. */
export const FULL_RANGE: SearchRange = { speeds: 22, speedStep: 0.001, columns: 5 }

/** A receiver mistuned by up to 94 Hz, or on the wrong sideband; its clock is good. */
export const WIDE_RANGE: SearchRange = { speeds: 2, speedStep: 0.001, columns: 20 }

/** How far outside the recording a transmission may begin or end, in slots; as good as half of it. */
const OVERHANG = 150
/** Candidates closer than this in time are one. */
const APART_FRAMES = SLOT_FRAMES

/** The best `limit` candidates, the best one first. */
export function search(cells: Spectrogram, range: SearchRange, limit: number): Candidate[] {
  const first = -OVERHANG * SLOT_FRAMES
  const last = cells.frames + (OVERHANG - SLOTS) * SLOT_FRAMES
  if (cells.frames === 0 || last < first) return []
  const evidence = evidenceByColumn(cells)
  const scores = new Float32Array(last - first + 1)
  const best = new Float32Array(scores.length).fill(Number.NEGATIVE_INFINITY)
  const bestHypothesis = new Int32Array(scores.length)
  const shifts = 2 * range.columns + 1
  for (let i = 0; i <= 2 * range.speeds; i++) {
    const speed = 1 + (i - range.speeds) * range.speedStep
    for (let j = 0; j < shifts; j++) {
      scoreStarts(evidence, cells.frames, speed, j - range.columns, first, scores)
      for (let at = 0; at < scores.length; at++) {
        if (scores[at]! <= best[at]!) continue
        best[at] = scores[at]!
        bestHypothesis[at] = i * shifts + j
      }
    }
  }
  return peaks(best, limit).map((at) => ({
    frame: first + at,
    speed: 1 + (Math.floor(bestHypothesis[at]! / shifts) - range.speeds) * range.speedStep,
    shift: ((bestHypothesis[at]! % shifts) - range.columns) * COLUMN_SPACING,
    score: best[at]!,
  }))
}

/** Sync evidence, a column after the other so that the starts of one hypothesis are neighbours. */
function evidenceByColumn({ power, frames }: Spectrogram): Float32Array {
  const evidence = new Float32Array(power.length)
  for (let frame = 0, from = 0; frame < frames; frame++) {
    for (let to = frame; to < evidence.length; to += frames)
      evidence[to] = toneEvidence(power[from++]!)
  }
  return evidence
}

/** scores[i] becomes the sum over the sync cells of a transmission that begins in frame first + i. */
function scoreStarts(
  evidence: Float32Array,
  frames: number,
  speed: number,
  shift: number,
  first: number,
  scores: Float32Array,
): void {
  scores.fill(0)
  for (let k = 0; k < SYNC_TONES.length; k++) {
    const slot = SYNC_SLOTS[k]!
    const column =
      Math.round(2 * ((BASE_BINS[slot & 1]! + SYNC_TONES[k]!) * speed - FIRST_BIN)) + shift
    if (column < 0 || column >= COLUMNS) continue
    const offset = first + Math.round((slot * SLOT_FRAMES) / speed)
    const end = Math.min(scores.length, frames - offset)
    let from = column * frames + offset + Math.max(0, -offset)
    for (let i = Math.max(0, -offset); i < end; i++) scores[i]! += evidence[from++]!
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
