// Writes and parses the lines of an export (COMMANDS.md 6.7): a head, one line per row, an end with counts and a hash. Pure.
import { TABLES, type TableName } from '../../database/schema/schema.ts'
import { type Row, SCHEMA_NAME } from '../../database/transfer.ts'

export type RowCounts = Partial<Record<TableName, number>>

/** Formats row counts as `1523 rows (messages 1200, ...)`. */
export function describeRows(counts: RowCounts): string {
  const parts = Object.entries(counts).map(([table, count]) => `${table} ${count}`)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return `${total} rows (${parts.join(', ')})`
}

/** Whether an export with this name is compressed. */
export const isGzipped = (path: string): boolean => path.endsWith('.gz')

/** The last line of an export. */
export interface End {
  counts: RowCounts
  /** SHA-256 of all bytes before this line, in hex. */
  sha256: string
}

const FORMAT_VERSION = 1

/** The first line. */
export const HEAD = `${JSON.stringify({ daysignal_export: FORMAT_VERSION, schema: SCHEMA_NAME })}\n`

/** Writes a row as a line: its table and its columns, with integers as decimal strings. */
export const rowLine = (table: TableName, row: Row): string =>
  `${JSON.stringify({ [table]: row }, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`

export const endLine = (end: End): string => `${JSON.stringify({ end })}\n`

/** Checks the first line. @throws Error with the rule that it breaks */
export function checkHead(line: string): void {
  const { daysignal_export: version, schema } = parseObject(line, 'not an export of Daysignal')
  if (version === undefined) throw new Error('not an export of Daysignal')
  if (version !== FORMAT_VERSION || schema !== SCHEMA_NAME)
    throw new Error(
      `an export of another version of Daysignal (${schema}, here ${SCHEMA_NAME}); export it again with this version`,
    )
}

/**
 * Parses any line after the first.
 * @throws Error with the rule that the line breaks
 */
export function parseLine(line: string): { table: TableName; row: Row } | { end: End } {
  const content = parseObject(line, 'damaged: not a row of an export')
  const [name = ''] = Object.keys(content)
  if (name === 'end') return { end: content.end as End }
  if (!Object.hasOwn(TABLES, name)) throw new Error(`damaged: no table is called ${name}`)
  const table = name as TableName
  return { table, row: readRow(table, content[table]) }
}

/** @param rule the message of the error if the line is not a JSON object */
function parseObject(line: string, rule: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new Error(rule, { cause: error })
  }
  if (typeof value !== 'object' || value === null) throw new Error(rule)
  return value as Record<string, unknown>
}

function readRow(table: TableName, content: unknown): Row {
  const { columns } = TABLES[table]
  const row = Object(content) as Record<string, unknown>
  const unknown = Object.keys(row).find((name) => !Object.hasOwn(columns, name))
  if (unknown !== undefined) throw new Error(`damaged: ${table} has no column ${unknown}`)
  return Object.fromEntries(
    Object.entries(columns).map(([name, { form }]) => {
      const value = row[name]
      if (form.startsWith('text') && typeof value === 'string') return [name, value]
      if (form.startsWith('integer') && isInteger(value)) return [name, BigInt(value)]
      if (form.endsWith('or null') && value === null) return [name, null]
      throw new Error(`damaged: ${table}.${name} must be ${form}`)
    }),
  )
}

/** Whether a value is a 64-bit integer in canonical decimal. */
const isInteger = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^(?:0|-?[1-9][0-9]{0,18})$/.test(value) &&
  BigInt.asIntN(64, BigInt(value)) === BigInt(value)
