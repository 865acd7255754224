// Scores alignments by the spectrogram cells of all slots, to rank hits and their neighbours (SPEC.md 9.3, 9.4).
import { BASE_BINS, SLOTS, TONE_SPACING, TONES } from '../constants.ts'
import { type Alignment, startOf, translationOf } from './alignment.ts'
import { SLOT_LENGTH } from './baseband.ts'
import { CELL_ERASURE, toneEvidence, toneLikelihood } from './evidence.ts'
import { evidenceOf, KNOWN_TONES, slotLikelihood } from './slots.ts'
import { rowOf, type Spectrogram } from './spectrogram.ts'

/** The grid of alignments tried near a hit: its steps, the number of steps either way, and how many are chosen. */
const STEP: Alignment = { time: 48, speed: 0.0005, offset: TONE_SPACING / 4 }
const NEAR = { times: 4, speeds: 9, offsets: 1, chosen: 3 }

/** Weight of the data slots relative to the sync slots: a ghost, shifted by whole slots, has tones in them too. */
export const DATA_WEIGHT = 0.25

/** An alignment with the evidence of its slots: log-likelihood ratios against noise. */
export interface Candidate {
  alignment: Alignment
  /** Evidence of the sync slots, whose tones are known. */
  sync: number
  /** Evidence of all slots. */
  score: number
  /** The key by which candidates are sorted. */
  rank: number
}

/** Scores an alignment by all slots that lie within the spectrogram. */
export function scoreSlots(cells: Spectrogram, alignment: Alignment): Candidate {
  const start = (startOf(alignment) - cells.start) / cells.hop
  const step = SLOT_LENGTH / cells.hop / alignment.speed
  const rows = [rowsOf(0, alignment, cells), rowsOf(1, alignment, cells)] as const
  const likelihoods = new Float64Array(TONES)
  let [sync, data] = [0, 0]
  for (let slot = 0; slot < SLOTS; slot++) {
    const column = Math.round(start + slot * step)
    if (column < 0 || column >= cells.columns) continue
    const first = column * cells.rows
    const row = rows[slot & 1 ? 1 : 0]
    const known = KNOWN_TONES[slot]!
    if (known >= 0) {
      sync += toneEvidence(cells.power[first + row[known]!]!)
      continue
    }
    for (let tone = 0; tone < TONES; tone++) {
      likelihoods[tone] = toneLikelihood(cells.power[first + row[tone]!]!)
    }
    data += evidenceOf(slotLikelihood(likelihoods, slot), CELL_ERASURE)
  }
  return { alignment, sync, score: sync + data, rank: sync + DATA_WEIGHT * data }
}

/** Returns the likeliest alignments near `from`, best first, no two of them adjacent. */
export function alignmentsNear(cells: Spectrogram, from: Alignment): Alignment[] {
  const candidates: Candidate[] = []
  for (let i = -NEAR.speeds; i <= NEAR.speeds; i++) {
    for (let j = -NEAR.times; j <= NEAR.times; j++) {
      for (let k = -NEAR.offsets; k <= NEAR.offsets; k++) {
        const time = from.time + j * STEP.time
        const speed = from.speed + i * STEP.speed
        const offset = from.offset + k * STEP.offset
        candidates.push(scoreSlots(cells, { time, speed, offset }))
      }
    }
  }
  candidates.sort((a, b) => b.score - a.score)
  const chosen: Alignment[] = []
  for (const { alignment } of candidates) {
    if (chosen.length === NEAR.chosen) break
    if (!chosen.some((other) => areAdjacent(alignment, other))) chosen.push(alignment)
  }
  return chosen
}

/** Whether a phase search from one alignment would find the other. */
function areAdjacent(a: Alignment, b: Alignment): boolean {
  return (
    Math.abs(a.time - b.time) < 1.5 * STEP.time && Math.abs(a.speed - b.speed) < 1.5 * STEP.speed
  )
}

/** Returns the spectrogram rows of the 128 tones in slots of one parity. */
function rowsOf(parity: 0 | 1, alignment: Alignment, cells: Spectrogram): Int16Array {
  const translation = translationOf(alignment) / TONE_SPACING
  const rows = new Int16Array(TONES)
  for (let tone = 0; tone < TONES; tone++) {
    const row = Math.round(rowOf((BASE_BINS[parity] + tone) * alignment.speed + translation, cells))
    rows[tone] = Math.min(Math.max(row, 0), cells.rows - 1)
  }
  return rows
}
