// A candidate checked, and its place improved, by the tones of all slots, known or not (SPEC.md 9.4).
import { BASE_BINS, SLOTS, SYNC_PERIOD, SYNC_TONES, TONES } from '../constants.ts'
import { slotEvidence, toneEvidence, toneLikelihood } from './evidence.ts'
import { type Candidate, COLUMN_SPACING, columnOf, SLOT_FRAMES } from './search.ts'
import { COLUMNS, type Spectrogram } from './spectrogram.ts'

/** Steps tried either way around a candidate: frames at mid-transmission, speed, Hz; wide first. */
const ROUNDS = [
  { frame: 1, speed: 0.0005, shift: COLUMN_SPACING },
  { frame: 0.5, speed: 0.00025, shift: COLUMN_SPACING },
  { frame: 0.5, speed: 0.00025, shift: COLUMN_SPACING / 2 },
]

const DATA_SHARE = 0.25

/** A candidate with what all its slots say, as ln of likelihood ratios against noise. */
export interface Scored extends Candidate {
  /** Of the sync slots, whose tones are known. */
  sync: number
  /** Of the data slots, whose tones are not. */
  data: number
  /**
   * What candidates are compared by. Tones where sync tones are due tell a transmission from its ghosts at wrong places,
   * which have a tone in every slot, too.
   */
  rank: number
}

/** The evidence of all slots within the recording for a candidate; its `score` becomes the sum. */
export function scoreSlots(cells: Spectrogram, candidate: Candidate): Scored {
  const { frame, speed } = candidate
  const columns = [columnsOf(0, candidate), columnsOf(1, candidate)]
  let [sync, data] = [0, 0]
  for (let slot = 0; slot < SLOTS; slot++) {
    const at = Math.round(frame + (slot * SLOT_FRAMES) / speed)
    if (at < 0 || at >= cells.frames) continue
    const row = at * COLUMNS
    const column = columns[slot & 1]!
    if (slot % SYNC_PERIOD === 0) {
      sync += toneEvidence(cells.power[row + column[SYNC_TONES[slot / SYNC_PERIOD]!]!]!)
      continue
    }
    let sum = 0
    for (let tone = 0; tone < TONES; tone++)
      sum += toneLikelihood(cells.power[row + column[tone]!]!)
    data += slotEvidence(sum / TONES)
  }
  return { ...candidate, score: sync + data, sync, data, rank: sync + DATA_SHARE * data }
}

/** The candidate moved to the best place within one frame, 0.1 % and 5 Hz, its score being the blind one. */
export function align(cells: Spectrogram, candidate: Candidate): Scored {
  let best = scoreSlots(cells, candidate)
  for (const step of ROUNDS) {
    for (const moved of neighbours(best, step)) {
      const scored = scoreSlots(cells, moved)
      if (scored.score > best.score) best = scored
    }
  }
  return best
}

/** The same by trying every place within two frames, 0.3 % and 5 Hz, for when climbing ended in the wrong place. */
export function alignExhaustively(cells: Spectrogram, candidate: Candidate): Scored {
  let best = scoreSlots(cells, candidate)
  for (let i = -12; i <= 12; i++) {
    const { frame, ...rest } = withSpeed(candidate, candidate.speed + i * 0.00025)
    for (let j = -3; j <= 3; j++) {
      for (let k = -1; k <= 1; k++) {
        const shift = candidate.shift + k * COLUMN_SPACING
        const scored = scoreSlots(cells, { ...rest, frame: frame + j * 0.7, shift })
        if (scored.score > best.score) best = scored
      }
    }
  }
  return best
}

/** Moves along each axis and the combination of speed with translation that keeps the upper band in place. */
function neighbours(
  from: Candidate,
  step: { frame: number; speed: number; shift: number },
): Candidate[] {
  const moves: Candidate[] = []
  for (const sign of [-1, 1]) {
    moves.push({ ...from, frame: from.frame + sign * step.frame })
    moves.push({ ...from, shift: from.shift + sign * step.shift })
    moves.push(withSpeed(from, from.speed + sign * step.speed))
    moves.push(withSpeed(from, from.speed + 2 * sign * step.speed))
  }
  return moves
}

/** Another speed with the same middle in time and frequency. */
export function withSpeed(from: Candidate, speed: number): Candidate {
  const half = (SLOTS * SLOT_FRAMES) / 2
  return { ...from, speed, frame: from.frame + half / from.speed - half / speed }
}

/** The columns of the 128 tones in slots of one parity. */
function columnsOf(parity: number, candidate: Candidate): Int16Array {
  return Int16Array.from({ length: TONES }, (_, tone) => {
    const column = Math.round(columnOf(BASE_BINS[parity]! + tone, candidate))
    return Math.min(Math.max(column, 0), COLUMNS - 1)
  })
}
