// States when the next transmission is due, for the pages and the forms.
import { AFTER_MIDNIGHT, nextTransmission } from '../../transmissions/rules.ts'
import type { Upcoming } from '../../transmissions/views.ts'
import { formatDuration } from '../parts/dates.ts'

/** What pages say of a board without any archived day. */
export const FIRST_DAY =
  'No day is archived yet. Each day is counted, sealed and turned into sound after midnight UTC.'

/** `Next transmission in 3 h 41 min.`; empty for a mirror. */
export function nextSentence({ now, nextRun, isMirror }: Upcoming): string {
  if (isMirror) return ''
  const due = nextTransmission(now, nextRun)
  if (due === null) return `Next transmission ${AFTER_MIDNIGHT}.`
  const minutes = Math.ceil((due.getTime() - now) / 60_000)
  return `Next transmission in ${formatDuration(minutes * 60)}.`
}

/** When the current day becomes sound: `at 00:05 UTC`, or `after midnight UTC`. */
export function soundTime({ now, nextRun }: Pick<Upcoming, 'now' | 'nextRun'>): string {
  const due = nextTransmission(now, nextRun)
  return due === null ? AFTER_MIDNIGHT : `at ${due.toISOString().slice(11, 16)} UTC`
}
