// What a bench has measured: rows with their goals, and the table that they make.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What the median should reach at most, or at least. */
export type Goal = { most: number } | { least: number }

export interface Row {
  what: string
  /** One for each run, or pair of runs. */
  values: number[]
  goal?: Goal
  /** What was compared, as in `61.2 us beside 26.0 us`. */
  detail?: string
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** One value for each pair of measurements that were taken in turn. */
export const ratios = (ours: readonly number[], others: readonly number[]): number[] =>
  ours.map((value, i) => value / (others[i] as number))

/** Undefined where there is no goal. */
export function isMet({ values, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined
  return 'most' in goal ? median(values) <= goal.most : median(values) >= goal.least
}

export function lineOf(row: Row): string {
  const { what, values, detail = '' } = row
  return `  ${what.padEnd(66)} ${goalOf(row).padEnd(8)} ${figure(median(values)).padStart(7)}  ${rangeOf(row)}  ${metOf(row)}  ${detail}`
}

/** Writes the table of all rows so far, in Markdown. @param remarks what was left out, and why */
export function writeReport(file: string, rows: readonly Row[], remarks: readonly string[]): void {
  const lines = [
    '| what | goal | median | range | met | measured |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => {
      const cells = [
        ...[row.what, goalOf(row), figure(median(row.values)), rangeOf(row)],
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

function metOf(row: Row): string {
  const met = isMet(row)
  return met === undefined ? '' : met ? 'yes' : 'no'
}

const rangeOf = ({ values }: Row): string =>
  `${figure(Math.min(...values))} to ${figure(Math.max(...values))}, ${values.length} runs`

/** Three digits where they say something. */
export const figure = (value: number): string =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3)
