// Formats instants for people. All are in UTC, as the footer of each page states.

import { DAY_MS } from '../../../protocol/index.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { shortDate, weekdayName } from './dates.ts'
import { type Html, html } from './html.ts'

const asTime = (at: string, shown: string): Html => html`<time datetime="${at}">${shown}</time>`

const dateOf = (at: string): string => `${shortDate(at.slice(0, 10))} ${at.slice(0, 4)}`

/** `20 Nov 2026 20:05`, with the full instant in `datetime`. */
export const moment = (at: string): Html => asTime(at, `${dateOf(at)} ${at.slice(11, 16)}`)

/** `20:05`, for use below a heading with the day. */
export const timeOfDay = (at: string): Html => asTime(at, at.slice(11, 16))

/** The time of a message, which links to its page. */
export const permalink = (id: bigint, time: Html): Html =>
  html`<a href="${messageUrl(id)}">${time}<span class="unseen"> Message ${id}</span></a>`

/** `Friday, 20 Nov 2026, 20:05:00 UTC` */
export const instantInFull = (at: string): Html =>
  asTime(at, `${weekdayName(at.slice(0, 10))}, ${dateOf(at)}, ${at.slice(11, 19)} UTC`)

/** `Friday, 20 Nov 2026`. @param day YYYY-MM-DD */
export const dayWithWeekday = (day: string): Html =>
  asTime(day, `${weekdayName(day)}, ${dateOf(day)}`)

const MINUTE_MS = 60_000
const UNITS: [one: string, many: string, ms: number][] = [
  ['year', 'years', 365 * DAY_MS],
  ['month', 'months', 30 * DAY_MS],
  ['day', 'days', DAY_MS],
  ['h', 'h', 3_600_000],
  ['min', 'min', MINUTE_MS],
]

/** `3 days ago`, in the largest whole unit, or `just now`. Both instants are [ms since 1970]. */
export function age(at: number, now: number): Html {
  const unit = UNITS.find(([, , ms]) => now - at >= ms)
  return asTime(new Date(at).toISOString(), unit ? `${inUnit(now - at, unit)} ago` : 'just now')
}

function inUnit(duration: number, [one, many, ms]: (typeof UNITS)[number]): string {
  const count = Math.floor(duration / ms)
  return `${count} ${count === 1 ? one : many}`
}
