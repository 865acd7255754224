// Formats text for a terminal: visible control characters, broken lines, tables.
import { stripVTControlCharacters, styleText } from 'node:util'

/** Escapes control characters: names of stray files and texts of servers are untrusted and must not move the cursor. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/**
 * Breaks a line between words so that it fits a terminal. A word that does not fit has a line of its own.
 * @param columns of the terminal; undefined for other outputs, for which the line stays whole
 * @param indent of the lines after the first
 */
export function wrapped(line: string, columns: number | undefined, indent: string): string {
  if (columns === undefined) return line
  const [start = ''] = /^ */.exec(line) ?? []
  const lines: string[] = []
  let current = start
  let isEmpty = true
  for (const word of line.slice(start.length).split(' ')) {
    const longer = isEmpty ? current + word : `${current} ${word}`
    if (isEmpty || stripVTControlCharacters(longer).length <= columns) current = longer
    else {
      lines.push(current)
      current = indent + word
    }
    isEmpty = false
  }
  return [...lines, current].join('\n')
}

/** Replaces control characters and line separators by spaces, since a cell is one line. */
const flat = (cell: string): string => cell.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/**
 * Formats a table. Each column but the last is padded to its widest cell.
 * @returns the lines, without a final line feed
 */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(flat))
  const widths = (cells[0] ?? []).map((_, i) =>
    Math.max(...cells.map((row) => row[i]?.length ?? 0)),
  )
  return cells
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats a table whose first row is its heading, which is bold on a terminal. */
export const headedTable = (rows: readonly (readonly string[])[]): string =>
  table(rows).replace(/^.*/, (line) => styleText('bold', line))
