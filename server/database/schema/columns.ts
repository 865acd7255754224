// The kinds of columns: how each is typed in TypeScript, and how its values are written in an export.
import type { ColumnType } from 'kysely'

/** A kind of column. @template Value its type for kysely */
export interface Column<Value = unknown> {
  /** How an export writes its values (COMMANDS.md 6.7). */
  readonly form: 'integer' | 'integer or null' | 'text'
  /** Exists in types only. */
  readonly value?: Value
}

/** A 64-bit integer: read as bigint, written as bigint or number. Times are ms since 1970-01-01Z. */
export const int: Column<ColumnType<bigint, bigint | number, bigint | number>> = { form: 'integer' }

/** An id is always a bigint, since large ones exceed the safe integers of a number. */
export const id: Column<ColumnType<bigint, bigint, bigint>> = { form: 'integer' }
export const optionalId: Column<ColumnType<bigint | null, bigint | null, never>> = {
  form: 'integer or null',
}

/** A boolean as 0 or 1, which every engine and every partial index supports. */
export const flag: Column<ColumnType<bigint, 0 | 1, 0 | 1>> = { form: 'integer' }

export const text: Column<string> = { form: 'text' }

/** A text with one of a few values. */
export const oneOf = <Value extends string>(): Column<Value> => ({ form: 'text' })
