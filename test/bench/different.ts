// npm run bench -- different: receptions of two days that are read together must give no third one.
import { SLOTS } from '../../protocol/constants.ts'
import { encodeFrame, encodeTransmission, SAMPLE_RATE } from '../../protocol/index.ts'
import { Baseband } from '../../protocol/receiver/baseband.ts'
import {
  addedOdds,
  combinePassages,
  likeliestPassages,
  MIN_MATCH,
  matchOf,
} from '../../protocol/receiver/combine.ts'
import { Recoverer, TRIES } from '../../protocol/receiver/recover.ts'
import { soundOf } from '../support/channel.ts'
import { payload } from '../support/payloads.ts'
import { heardBySome, heardSoftly } from '../support/receptions.ts'

/** All kinds of days, each with another date of the same numbers. */
const DAYS = [0, 1, 2, 3, 4, 5].flatMap((kind) => [
  payload(kind),
  { ...payload(kind), day: '2026-11-20' },
])
const FRAMES = DAYS.map((fields) => encodeFrame(fields))
/** Eb/N0 of the receptions [dB]. */
const LEVELS = [-7, -4.8, -2.3, 0]
/** Groups of each day as soft values, of 1 to 4 receptions. Any two of different days make 105,600 sets. */
const GROUPS = 40
/** Receptions of the one day and of the other, as sound: 528 sets. */
const COUNTS = [
  [1, 1],
  [1, 1],
  [1, 1],
  [2, 1],
  [1, 2],
  [2, 2],
  [3, 1],
  [4, 4],
] as const

/** Reads sets of receptions of two days. @returns the frames that each set gives */
type Reading = (day: number, other: number) => Iterable<Uint8Array[]>

/** Prints how many sets give a third day. Sets exit code 1 if one does. */
export function surveyDifferent(): void {
  for (const [name, readingOf] of [
    ['soft values', softly],
    ['sound', aloud],
  ] as const) {
    const reading = readingOf()
    const sum = { sets: 0, read: 0, thirds: 0 }
    for (const day of DAYS.keys()) {
      for (let other = 0; other < day; other++) addUp(sum, reading, day, other)
      console.log(`${name}: ${sum.sets} sets, ${sum.read} read, ${sum.thirds} as a third day`)
    }
    if (sum.thirds > 0) process.exitCode = 1
  }
}

function addUp(
  sum: { sets: number; read: number; thirds: number },
  reading: Reading,
  day: number,
  other: number,
): void {
  const known = [day, other].map((one) => FRAMES[one]!.join())
  for (const frames of reading(day, other)) {
    sum.sets++
    if (frames.length > 0) sum.read++
    if (frames.some((frame) => !known.includes(frame.join()))) sum.thirds++
  }
}

/** As the receiver does, reads only sets whose parts match. */
function softly(): Reading {
  const recoverer = new Recoverer()
  const absent = new Float64Array(SLOTS)
  const groups = FRAMES.map((frame, day) =>
    Array.from({ length: GROUPS }, (_, i) => {
      // 273.07 / 848 slots have the energy of a bit.
      const energy = (10 ** (LEVELS[i % LEVELS.length]! / 10) * 848) / 273.07
      const receptions = Array.from({ length: 1 + ((i >> 2) % 4) }, (_, r) =>
        heardSoftly(frame, energy, 1e6 + 1000 * day + 10 * i + r),
      )
      return { odds: addedOdds(receptions).map(Math.exp) }
    }),
  )
  return function* (day, other) {
    for (const a of groups[day]!) {
      for (const b of groups[other]!) {
        const isMatch = matchOf(a.odds, b.odds) > MIN_MATCH
        const ratios = isMatch ? addedOdds([a, b]) : null
        const outcome = ratios && recoverer.decode({ ratios, absent }, TRIES.slice(0, 3))
        yield outcome?.kind === 'frame' ? [outcome.frame] : []
      }
    }
  }
}

function aloud(): Reading {
  const most = Math.max(...COUNTS.flat())
  const passages = DAYS.map((fields, day) => {
    const sound = soundOf(encodeTransmission(fields))
    return Array.from({ length: most }, (_, i) => {
      const baseband = new Baseband(SAMPLE_RATE)
      const heard = heardBySome(sound, LEVELS[(i + 2) % LEVELS.length]!, 20_000 + 10 * day + i)
      for (let from = 0; from < heard.length; from += SAMPLE_RATE)
        baseband.push(heard.subarray(from, from + SAMPLE_RATE))
      baseband.finish()
      return likeliestPassages(baseband.signal, most * day + i)
    }).flat()
  })
  return function* (day, other) {
    for (const [i, [ours, theirs]] of COUNTS.entries()) {
      const chosen = [
        ...passages[day]!.slice(i % (most - ours + 1)).slice(0, ours),
        ...passages[other]!.slice(i % (most - theirs + 1)).slice(0, theirs),
      ]
      yield combinePassages(chosen).map(({ frame }) => frame)
    }
  }
}
