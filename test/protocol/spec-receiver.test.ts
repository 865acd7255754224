// Compares the parameters in SPEC.md section 9, which describes this receiver, with the code.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TONE_SPACING } from '../../protocol/constants.ts'
import { BASEBAND_RATE, CENTRE_FREQUENCY } from '../../protocol/receiver/baseband.ts'
import { logBesselI0 } from '../../protocol/receiver/bessel.ts'
import * as candidate from '../../protocol/receiver/candidate.ts'
import * as combine from '../../protocol/receiver/combine.ts'
import * as decode from '../../protocol/receiver/decode.ts'
import * as evidence from '../../protocol/receiver/evidence.ts'
import * as levels from '../../protocol/receiver/levels.ts'
import * as metrics from '../../protocol/receiver/metrics.ts'
import * as phase from '../../protocol/receiver/phase.ts'
import * as prior from '../../protocol/receiver/prior.ts'
import * as recover from '../../protocol/receiver/recover.ts'
import * as refine from '../../protocol/receiver/refine.ts'
import * as search from '../../protocol/receiver/search.ts'
import { CEILING, COARSE, FINE } from '../../protocol/receiver/spectrogram.ts'
import * as weak from '../../protocol/receiver/weak.ts'
import * as window from '../../protocol/receiver/window.ts'

const text = readFileSync(new URL('../../protocol/SPEC.md', import.meta.url), 'utf8')
const flat = text.replace(/\s+/g, ' ')

/** The parameters in 9.12, by name. */
const written = new Map(
  Array.from(
    text
      .slice(text.indexOf('### 9.12'), text.indexOf('## 10. '))
      .matchAll(/^\| (.+?) \| ([\d.]+) \|/gm),
    ([, name, value]): [string, number] => [name!, Number(value)],
  ),
)

const NUMBERS: Record<string, number> = {
  'baseband rate': BASEBAND_RATE,
  'window, seconds': decode.WINDOW / BASEBAND_RATE,
  'overlap of windows, seconds': decode.OVERLAP / BASEBAND_RATE,
  'minimum length of a recording, seconds': decode.MIN_SECONDS,
  'fraction inside the recording from which a transmission counts as complete': decode.MIN_COMPLETE,
  'spectrogram step, samples': FINE.hop,
  'rows per tone unit': FINE.rowsPerTone,
  'spectrogram step in the quick pass, samples': COARSE.hop,
  'rows per tone unit in the quick pass': COARSE.rowsPerTone,
  'ceiling of a cell over the noise floor': CEILING,
  'energy that the search is tuned to': evidence.TUNED_ENERGY,
  'erasure probability of a cell': evidence.CELL_ERASURE,
  'evidence beyond which a tenth counts': evidence.KNEE,
  'speeds in the full pass, steps either way': search.FULL_RANGE.speeds,
  'rows in the full pass, either way': search.FULL_RANGE.rows,
  'speeds in the mistuned passes, steps either way': search.MISTUNED_RANGE.speeds,
  'rows in the mistuned passes, either way': search.MISTUNED_RANGE.rows,
  'slots outside the recording': search.OVERHANG,
  hits: window.MAX_HITS,
  'weight of the data slots in the rank': candidate.DATA_WEIGHT,
  'hits followed without a frame': window.MAX_FAILED,
  'minimum sync evidence to follow a hit': window.MIN_SYNC,
  'minimum sync evidence to try nearby alignments': window.POSSIBLE_SYNC,
  'minimum sync evidence of a transmission': window.CERTAIN_SYNC,
  'minimum evidence of all slots of a transmission': recover.MIN_EVIDENCE,
  'erasure probability of a slot': levels.SLOT_ERASURE,
  'excess over its neighbours that makes noise a whistle, ln': levels.WHISTLE_EXCESS,
  'minimum noise, fraction of the median peak, one in': 1 / levels.MIN_NOISE,
  'ratio between energies tried': levels.ENERGY_STEP,
  'minimum excess noise of a noisy slot': metrics.NOISY_SLOT,
  'transition probability, present to absent': metrics.TO_ABSENT,
  'transition probability, absent to present': metrics.TO_PRESENT,
  'maximum evidence of a slot, ln': metrics.MAX_SLOT_EVIDENCE,
  'minimum probability of absence': metrics.MIN_ABSENCE,
  'phase search, time steps either way': phase.WIDE.times,
  'phase search, speed steps either way': phase.WIDE.speeds,
  'phase search, maximum frequency error, Hz': phase.WIDE.hertz,
  'gain in log-likelihood from a phase that was found': recover.LOCK_GAIN,
  'log-likelihood ratio that no wrong alignment reaches': recover.CERTAIN_EVIDENCE,
  'repetitions once the phase is found': recover.POLISH_ROUNDS,
  'step of the starts in a room that echoes, samples': recover.ECHO_STEP,
  'cost of a forbidden bit': prior.FORBIDDEN,
  'maximum list size': Math.max(...recover.TRIES.flatMap(({ lists }) => lists)),
  'combining: clock steps of 12 ppm, either way': weak.CLOCK_STEPS,
  'combining: slots outside the passage': weak.WEAK_OVERHANG,
  'combining: starts measured by all slots': weak.MAX_STARTS,
  'combining: passages of a recording': combine.MAX_PASSAGES,
  'combining: guesses kept': weak.MAX_KEPT,
  'combining: guesses compared in pairs': combine.MAX_PAIRED,
  'combining: probability that a slot holds nothing': weak.DOUBT,
  'combining: least energy of a slot': weak.ENERGY_RANGE[0],
  'combining: concentration of the phase of the sync tones': weak.SYNC_CONCENTRATION,
  'combining: minimum match, ln': combine.MIN_MATCH,
  'combining: pairs to begin with': combine.MAX_PAIRS,
  'combining: realignments': combine.REALIGN_ROUNDS,
  'combining: concentration of the phase of a group': combine.REALIGNED_CONCENTRATION,
}

test('section 9 lists the parameters of the receiver, and no others', () => {
  expect(Object.fromEntries(written)).toEqual(NUMBERS)
})

test('section 9 has the ranges of the search', () => {
  const { FULL_RANGE, MISTUNED_RANGE, SPEED_STEP } = search
  const speeds = (range: search.SearchRange) =>
    [-1, 1].map((sign) => (1 + sign * range.speeds * SPEED_STEP).toFixed(3)).join(' to ')
  const hertz = (range: search.SearchRange) => (range.rows * TONE_SPACING) / FINE.rowsPerTone
  expect(text).toContain(`| full | ${speeds(FULL_RANGE)}, steps of ${SPEED_STEP} |`)
  expect(text).toContain(`up to ${FULL_RANGE.rows} rows (${hertz(FULL_RANGE).toFixed(1)} Hz)`)
  expect(text).toContain(`| mistuned | ${speeds(MISTUNED_RANGE)} |`)
  expect(text).toContain(`up to ${MISTUNED_RANGE.rows} rows (${hertz(MISTUNED_RANGE)} Hz)`)
  expect(flat).toContain(`multiply by exp(-2 pi i ${CENTRE_FREQUENCY} t)`)
})

test('section 9 has the evidence of a sync cell', () => {
  const { TUNED_ENERGY, CELL_ERASURE, toneEvidence } = evidence
  expect(text).toContain(
    `ln( ${CELL_ERASURE} + ${1 - CELL_ERASURE} I0(2 sqrt(${TUNED_ENERGY} E)) exp(-${TUNED_ENERGY}) )`,
  )
  const examples = Array.from(text.matchAll(/evidence\(([\d.]+)\) = (-?[\d.]+)/g))
  expect(examples.length).toBeGreaterThan(2)
  for (const [, power, value] of examples)
    expect(Math.abs(toneEvidence(Number(power)) - Number(value))).toBeLessThan(0.05)
  expect(logBesselI0(7)).toBeCloseTo(5.1275, 3)
})

test('section 9 has the rounds of the refinement', () => {
  const rounds = [...refine.SYNC_STEPS, ...refine.ALL_STEPS]
  for (const [i, { time, offset, speed }] of rounds.entries()) {
    const row = new RegExp(
      `^\\| ${i + 1}\\b.* \\| ${time} \\| ${offset} Hz \\| ([\\d.e-]+) \\|$`,
      'm',
    )
    expect(Number(row.exec(text)?.[1])).toBe(speed)
  }
})

test('section 9 has the lists that are tried', () => {
  for (const { lists, prior: expected } of recover.TRIES)
    expect(text).toContain(`| ${lists.join(' ')} | ${expected === null ? 'no' : 'yes'} |`)
  expect(flat).toContain(
    `Take the one of 0, ${recover.CONCENTRATIONS.slice(0, -1).join(', ')} and 80`,
  )
})
