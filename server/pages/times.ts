// Instants as people read them. All are UTC, which the footer of each page says.
import { html } from 'hono/html'
import type { Html } from './layout.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const asTime = (at: string, shown: string): Html => html`<time datetime="${at}">${shown}</time>`

const dateOf = (at: string): string =>
  `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1]} ${at.slice(0, 4)}`

/** `20 Nov 2026 20:05`, with all of the instant in `datetime`. */
export const moment = (at: string): Html => asTime(at, `${dateOf(at)} ${at.slice(11, 16)}`)

/** `20:05`, below a heading that says the day. */
export const timeOfDay = (at: string): Html => asTime(at, at.slice(11, 16))

/** To the millisecond, as the record says it. */
export const instantInFull = (at: string): Html =>
  asTime(at, `${at.slice(0, 23).replace('T', ' ')} UTC`)

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `Friday, 20 Nov 2026`. @param day YYYY-MM-DD */
export const dayInWords = (day: string): Html =>
  asTime(day, `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()]}, ${dateOf(day)}`)

const MINUTE_MS = 60_000
const UNITS: [name: string, ms: number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', MINUTE_MS],
]

/** How long ago an instant is, in its largest unit. @param at and now in ms since 1970 */
export function age(at: number, now: number): Html {
  const [name, ms] = UNITS.find(([, unit]) => now - at >= unit) ?? ['', 0]
  const count = ms === 0 ? 0 : Math.floor((now - at) / ms)
  const plural = name.length > 3 && count !== 1 ? 's' : ''
  return asTime(new Date(at).toISOString(), ms === 0 ? 'just now' : `${count} ${name}${plural} ago`)
}
