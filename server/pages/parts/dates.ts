// Formats days, times of day and durations.
import { dayStart } from '../../../archive/format/calendar.ts'

const formatter = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })

const LONG_MONTH = formatter({ month: 'long' })
const LONG_WEEKDAY = formatter({ weekday: 'long' })
/** A formatter takes longer than all else of a small page. 1 January 2023 was a Sunday. */
const MONTHS = Array.from({ length: 12 }, (_, i) => LONG_MONTH.format(Date.UTC(2023, i)))
const WEEKDAYS = Array.from({ length: 7 }, (_, i) => LONG_WEEKDAY.format(Date.UTC(2023, 0, 1 + i)))
export const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3))

export const weekdayName = (day: string): string =>
  WEEKDAYS[new Date(dayStart(day)).getUTCDay()] ?? ''

/** 1 for Monday to 7 for Sunday. */
export const weekdayNumber = (day: string): number => new Date(dayStart(day)).getUTCDay() || 7

/** `November 2026`. @param day YYYY-MM-DD or YYYY-MM */
export const monthName = (day: string): string =>
  `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`

/** `20 November 2026` */
export const longDate = (day: string): string => `${Number(day.slice(8))} ${monthName(day)}`

/** `20 Nov` */
export const shortDate = (day: string): string =>
  `${Number(day.slice(8))} ${SHORT_MONTHS[Number(day.slice(5, 7)) - 1]}`

/** `02:10`, or `02:10:05` if the seconds are not 0. @param instant ISO 8601, UTC */
export function clockTime(instant: string): string {
  const time = instant.slice(11, 19)
  return time.endsWith(':00') ? time.slice(0, 5) : time
}

/** `4 h 30 min`, `12 s`, with no-break spaces so that a line break never separates a number from its unit. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}\u00a0s`
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const parts = [hours > 0 ? `${hours}\u00a0h` : '', minutes > 0 ? `${minutes}\u00a0min` : '']
  return parts.filter((part) => part !== '').join('\u00a0')
}
