// Formats days, times of day and durations as text, and instants as elements. All are in UTC, as the footer of each page states.
import { dayStart, previousDay } from '../../../archive/format/calendar.ts'
import { DAY_MS } from '../../../protocol/index.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { type Html, html } from './html.ts'

/** Lists, because a formatter takes longer than all else of a small page. */
const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
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

/** `02:10`, or `02:10:05` if the seconds are not 0. @param instant ISO 8601, UTC @param midnight is `24:00` */
export function clockTime(instant: string, midnight = ''): string {
  if (instant === midnight) return '24:00'
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

const asTime = (at: string, shown: string): Html => html`<time datetime="${at}">${shown}</time>`

const dateOf = (at: string): string => `${shortDate(at.slice(0, 10))} ${at.slice(0, 4)}`

/** `20 Nov 2026 20:05`, with the full instant in `datetime`. */
export const moment = (at: string): Html => asTime(at, `${dateOf(at)} ${at.slice(11, 16)}`)

/** `20:05`, for use below a heading with the day. */
export const timeOfDay = (at: string): Html => asTime(at, at.slice(11, 16))

/** `today 07:25`, `yesterday 20:05`, or with the date. @param today YYYY-MM-DD */
export function momentNear(today: string, at: string): Html {
  const day = at.slice(0, 10)
  if (day !== today && day !== previousDay(today)) return moment(at)
  return asTime(at, `${day === today ? 'today' : 'yesterday'} ${at.slice(11, 16)}`)
}

/** The time of a message, which links to its page. */
export const permalink = (id: bigint, time: Html): Html =>
  html`<a href="${messageUrl(id)}">${time}<span class="unseen"> Message ${id}</span></a>`

/** `Friday, 20 Nov 2026`. @param day YYYY-MM-DD */
export const dayWithWeekday = (day: string): Html =>
  asTime(day, `${weekdayName(day)}, ${dateOf(day)}`)

const UNITS: [one: string, many: string, ms: number][] = [
  ['year', 'years', 365 * DAY_MS],
  ['month', 'months', 30 * DAY_MS],
  ['day', 'days', DAY_MS],
  ['h', 'h', 3_600_000],
  ['min', 'min', 60_000],
]

/** `3 days ago`, in the largest whole unit, or `just now`. Both instants are [ms since 1970]. */
export function age(at: number, now: number): Html {
  const [one, many, ms] = UNITS.find(([, , ms]) => now - at >= ms) ?? []
  const count = ms === undefined ? 0 : Math.floor((now - at) / ms)
  const ago = count === 0 ? 'just now' : `${count} ${count === 1 ? one : many} ago`
  return asTime(new Date(at).toISOString(), ago)
}
