// The calendar of the archive: its days are UTC days, written YYYY-MM-DD. Pure. Parsers accept only this spelling.
import { DAY_MS } from '../../protocol/index.ts'

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/** For JSON Schema; `isDay` is stricter. */
export const DAY_PATTERN = DAY.source

/** Whether the text is a real date in the form `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const instant = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
}

/** Whether the text is a real month in the form `YYYY-MM`. */
export const isMonth = (text: string): boolean => isDay(`${text}-01`)

/** Whether the text is a year in the form `YYYY`. */
export const isYear = (text: string): boolean => isMonth(`${text}-01`)

/** The first instant of a day [ms since 1970]. */
export function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}

/** The UTC day of an instant [ms since 1970]. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function nextDay(day: string): string {
  return dayOf(dayStart(day) + DAY_MS)
}

export function previousDay(day: string): string {
  return dayOf(dayStart(day) - DAY_MS)
}

/** A time range; `to` is exclusive [ms since 1970]. */
export interface Interval {
  from: number
  to: number
}

/** From the first instant of a day to that of the next day. */
export function daySpan(day: string): Interval {
  return { from: dayStart(day), to: dayStart(nextDay(day)) }
}
