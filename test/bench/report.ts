// The results of a benchmark: rows with goals, printed as lines and as a Markdown table.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The bound of the median. */
export type Goal = { most: number } | { least: number }

export interface Row {
  label: string
  /** One value per run, or per pair of runs. */
  values: number[]
  goal?: Goal
  /** The measured values behind a ratio, such as `61.2 us vs 26.0 us`, or a remark. */
  detail?: string
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** The ratio of each pair of measurements that were taken in turns. */
export const ratios = (ours: readonly number[], others: readonly number[]): number[] =>
  ours.map((value, i) => value / (others[i] as number))

export function lineOf(row: Row): string {
  const { label, values, detail = '' } = row
  return `  ${label.padEnd(66)} ${goalOf(row).padEnd(8)} ${figure(median(values)).padStart(7)}  ${rangeOf(row)}  ${metOf(row)}  ${detail}`
}

/** Writes the table of all rows so far, in Markdown. @param remarks lines below it, such as why a part was skipped */
export function writeReport(file: string, rows: readonly Row[], remarks: readonly string[]): void {
  const lines = [
    '| measurement | goal | median | range | met | details |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => {
      const cells = [
        ...[row.label, goalOf(row), figure(median(row.values)), rangeOf(row)],
        ...[metOf(row), row.detail ?? ''],
      ]
      return `| ${cells.join(' | ')} |`
    }),
    ...remarks.map((remark) => `\n${remark}`),
  ]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join('\n')}\n`)
}

const goalOf = ({ goal }: Row): string =>
  goal === undefined ? '' : 'most' in goal ? `<= ${goal.most}` : `>= ${goal.least}`

/** Whether the median meets the goal. */
function metOf({ values, goal }: Row): string {
  if (goal === undefined) return ''
  const isMet = 'most' in goal ? median(values) <= goal.most : median(values) >= goal.least
  return isMet ? 'yes' : 'no'
}

const rangeOf = ({ values }: Row): string =>
  `${figure(Math.min(...values))} to ${figure(Math.max(...values))}, ${values.length} runs`

/** Formats a value with about three significant digits. */
export const figure = (value: number): string =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3)
