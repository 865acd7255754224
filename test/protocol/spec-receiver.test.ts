// SPEC.md section 9 says that it describes this receiver: its numbers must be those of the code.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { TONE_SPACING } from '../../protocol/constants.ts'
import * as align from '../../protocol/receiver/align.ts'
import { BASEBAND_RATE, CENTRE_FREQUENCY } from '../../protocol/receiver/baseband.ts'
import { logBesselI0 } from '../../protocol/receiver/bessel.ts'
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
import * as window from '../../protocol/receiver/window.ts'

const text = readFileSync(new URL('../../protocol/SPEC.md', import.meta.url), 'utf8')
const flat = text.replace(/\s+/g, ' ')

/** The numbers of 9.12 by their names. */
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
  'least length of a recording, seconds': decode.LEAST_SECONDS,
  'part inside the recording from which a transmission is called complete': decode.COMPLETE,
  'step of the spectrogram, samples': FINE.hop,
  'rows a tone unit': FINE.rowsPerTone,
  'step at a glance, samples': COARSE.hop,
  'rows a tone unit at a glance': COARSE.rowsPerTone,
  'ceiling of a cell over the noise floor': CEILING,
  'energy that the search is tuned to': evidence.TUNED_ENERGY,
  'probability that a cell is spoilt': evidence.SPOILT_CELL,
  'evidence beyond which a tenth counts': evidence.KNEE,
  'speeds of the full look, steps either way': search.FULL_RANGE.speeds,
  'rows of the full look, either way': search.FULL_RANGE.rows,
  'speeds of the mistuned looks, steps either way': search.MISTUNED_RANGE.speeds,
  'rows of the mistuned looks, either way': search.MISTUNED_RANGE.rows,
  'slots outside the recording': search.OVERHANG,
  hits: window.HITS,
  'share of the data slots in the rank': align.DATA_SHARE,
  'places followed without a frame': window.MOST_UNREAD,
  'sync evidence from which a hit is followed': window.LEAST_SYNC,
  'sync evidence from which places near it are tried': window.POSSIBLE_SYNC,
  'sync evidence from which a place is one of a transmission': window.CERTAIN_SYNC,
  'evidence of all slots from which a place is one of a transmission': recover.LEAST_EVIDENCE,
  'probability that a slot is spoilt': levels.SPOILT_SLOT,
  'noise above its neighbours that is a whistle, ln': levels.STANDS_OUT,
  'least noise, part of the median peak, one in': 1 / levels.LEAST_NOISE,
  'step of energies': levels.ENERGY_STEP,
  'slot noise that counts': metrics.NOISIER,
  'present to absent': metrics.LEAVES,
  'absent to present': metrics.RETURNS,
  'most evidence of a slot, ln': metrics.MOST_EVIDENCE,
  'least absence': metrics.LEAST_ABSENCE,
  'time steps of the phase, either way': phase.WIDE.times,
  'speed steps of the phase, either way': phase.WIDE.speeds,
  'largest error of frequency of the phase, Hz': phase.WIDE.hertz,
  'gain in likelihood that a phase gives, ln': recover.LOCKED,
  'likelihood that no wrong place gives, ln': recover.SETTLED,
  'repetitions with the phase found': recover.POLISH_ROUNDS,
  'cost of a forbidden bit': prior.FORBIDDEN,
  'longest list': Math.max(...recover.TRIES.flatMap(({ lists }) => lists)),
}

describe('section 9 of SPEC.md', () => {
  test('section 9 lists the numbers of the receiver, and no others', () => {
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
    const { TUNED_ENERGY, SPOILT_CELL, toneEvidence } = evidence
    expect(text).toContain(
      `ln( ${SPOILT_CELL} + ${1 - SPOILT_CELL} I0(2 sqrt(${TUNED_ENERGY} E)) exp(-${TUNED_ENERGY}) )`,
    )
    const examples = Array.from(text.matchAll(/evidence\(([\d.]+)\) = (-?[\d.]+)/g))
    expect(examples.length).toBeGreaterThan(2)
    for (const [, power, value] of examples)
      expect(Math.abs(toneEvidence(Number(power)) - Number(value))).toBeLessThan(0.05)
    expect(logBesselI0(7)).toBeCloseTo(5.1275, 3)
  })

  test('section 9 has the rounds of the refinement', () => {
    const rounds = [...refine.SYNC_WIDTHS, ...refine.WIDTHS]
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
      `Take the one of 0, ${recover.FIRMNESSES.slice(0, -1).join(', ')} and 80`,
    )
  })
})
