// Tables for a terminal: columns as wide as their widest cell, the last one left ragged.

/** One line each: what would move the cursor becomes a space. */
const flat = (cell: string): string => cell.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/**
 * @param heading how the first line is set off
 * @returns lines without a final line feed
 */
export function table(
  rows: readonly (readonly string[])[],
  heading: (line: string) => string,
): string {
  const cells = rows.map((row) => row.map(flat))
  const widths = (cells[0] ?? []).map((_, i) =>
    Math.max(...cells.map((row) => row[i]?.length ?? 0)),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return lines.map((line, i) => (i === 0 ? heading(line) : line)).join('\n')
}
