// Formats the output of npm run decode: JSON for programs (COMMANDS.md 5.1), and table rows for people.
import { COUNTER_NAMES, perCounter, SLOTS, toHex } from '../../protocol/index.ts'
import {
  type Decoding,
  type Diagnostics,
  rateReception,
  type Transmission,
} from '../../protocol/receiver/index.ts'

/** One file in the output of `npm run decode -- --json`. */
export type FileReport = Omit<ReturnType<typeof reportFile>, 'error'> & {
  error: { code: string; message: string } | null
}

/** The one item in the output of `npm run decode -- --combine --json`. */
export type CombinedReport = Omit<FileReport, 'file'> & { files: string[] }

export type TransmissionReport = ReturnType<typeof reportTransmission>

/** Converts a decoding to plain data for JSON. */
export function reportFile(file: string, { transmissions, error }: Decoding) {
  return { file, transmissions: transmissions.map(reportTransmission), error }
}

/** Converts a transmission to plain data for JSON. */
export function reportTransmission({ fields, frame, diagnostics }: Transmission) {
  const { day, counters, coverage, clock, conclusion } = fields
  return {
    day,
    /** Decimal digits; null when unavailable. */
    counters: perCounter((name) => counters[name]?.toString() ?? null),
    availability: perCounter((name) => counters[name] !== null),
    coverage,
    clock,
    conclusion,
    /** 212 hexadecimal digits. */
    frame: toHex(frame),
    diagnostics: reportDiagnostics(diagnostics),
  }
}

/** `Diagnostics` with the units in the names, rounded to their meaningful precision. */
function reportDiagnostics(diagnostics: Diagnostics) {
  return {
    start_seconds: rounded(diagnostics.start, 3),
    speed: rounded(diagnostics.speed, 6),
    translation_hz: rounded(diagnostics.translation, 2),
    eb_n0_db: rounded(diagnostics.ebN0, 1),
    snr_2500_db: rounded(diagnostics.snr2500, 1),
    corrected_tones: diagnostics.correctedTones,
    absent_part: rounded(diagnostics.absentPart, 3),
    list_length: diagnostics.list,
  }
}

function rounded(value: number, decimals: number): number {
  // Adding 0 turns the -0 of a small negative number into 0.
  return Math.round(value * 10 ** decimals) / 10 ** decimals + 0
}

/** Returns the rows of the table, each a name and a value. The terms of receivers are in the JSON only. */
export function tableRows(report: TransmissionReport): [name: string, value: string][] {
  const { diagnostics } = report
  const { word, level } = rateReception(diagnostics.eb_n0_db)
  return [
    ['day', report.day],
    ['conclusion', report.conclusion],
    ['coverage', report.coverage],
    ['clock', report.clock],
    ...COUNTER_NAMES.map((name): [string, string] => [
      name.replaceAll('_', ' '),
      report.counters[name] ?? 'unavailable',
    ]),
    ['reception', `${word}. ${level}.`],
    ['corrected tones', `${diagnostics.corrected_tones} of ${SLOTS}`],
    ['missing tones', `${Math.round(diagnostics.absent_part * SLOTS)} of ${SLOTS}`],
    ['starts at', `${diagnostics.start_seconds.toFixed(3)} s`],
    ['speed', diagnostics.speed.toFixed(5)],
    ['frequency offset', `${diagnostics.translation_hz.toFixed(1)} Hz`],
  ]
}
