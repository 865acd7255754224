// Hits checked, and places near them compared, by the tones of all slots, known or not, in the spectrogram (SPEC.md 9.4).
import { BASE_BINS, SLOTS, TONE_SPACING, TONES } from '../constants.ts'
import { SLOT_LENGTH } from './baseband.ts'
import { SPOILT_CELL, toneEvidence, toneLikelihood } from './evidence.ts'
import { type Place, startOf, translationOf } from './place.ts'
import { evidenceOf, KNOWN_TONES, slotLikelihood } from './slots.ts'
import { rowOf, type Spectrogram } from './spectrogram.ts'

/** From one place that is tried near a hit to the next, how many steps either way, and how many places are chosen. */
const STEP: Place = { time: 48, speed: 0.0005, offset: TONE_SPACING / 4 }
const NEAR = { times: 4, speeds: 9, offsets: 1, places: 3 }

/** The weight of data slots compared with sync slots: a ghost at a wrong place has a tone in every data slot, too. */
export const DATA_SHARE = 0.25

/** A place with what all its slots say, as ln of likelihood ratios against noise. */
export interface Candidate {
  place: Place
  /** Of the sync slots, whose tones are known. */
  sync: number
  /** Of all slots. */
  score: number
  /** What candidates are compared by. */
  rank: number
}

/** The evidence of all slots that lie within the spectrogram. */
export function scoreSlots(cells: Spectrogram, place: Place): Candidate {
  const start = (startOf(place) - cells.start) / cells.hop
  const step = SLOT_LENGTH / cells.hop / place.speed
  const rows = [rowsOf(0, place, cells), rowsOf(1, place, cells)] as const
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
    data += evidenceOf(slotLikelihood(likelihoods, slot), SPOILT_CELL)
  }
  return { place, sync, score: sync + data, rank: sync + DATA_SHARE * data }
}

/** The likeliest places near `from` that are no neighbours of one another, the best first. */
export function placesNear(cells: Spectrogram, from: Place): Place[] {
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
  const chosen: Place[] = []
  for (const { place } of candidates) {
    if (chosen.length === NEAR.places) break
    if (!chosen.some((other) => areNeighbours(place, other))) chosen.push(place)
  }
  return chosen
}

/** Whether a search for the phase from one place would find the other. */
function areNeighbours(a: Place, b: Place): boolean {
  return (
    Math.abs(a.time - b.time) < 1.5 * STEP.time && Math.abs(a.speed - b.speed) < 1.5 * STEP.speed
  )
}

/** The rows of the 128 tones in slots of one parity. */
function rowsOf(parity: 0 | 1, place: Place, cells: Spectrogram): Int16Array {
  const translation = translationOf(place) / TONE_SPACING
  const rows = new Int16Array(TONES)
  for (let tone = 0; tone < TONES; tone++) {
    const row = Math.round(rowOf((BASE_BINS[parity] + tone) * place.speed + translation, cells))
    rows[tone] = Math.min(Math.max(row, 0), cells.rows - 1)
  }
  return rows
}
