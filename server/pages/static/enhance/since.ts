// Marks the messages and days that are new since the last visit, and the answers to the visitor's own messages. The date of
// the visit is kept in this browser, and nothing is sent.
import { element } from '../element.ts'
import { keep, readKept } from '../kept.ts'
import { keptIds } from '../write/receipts.ts'

const NAME = 'daysignal visit'
/** After a pause as long as this, a page begins another visit [ms]. */
const PAUSE_MS = 30 * 60_000
const DAY_MS = 86_400_000

/** Instants [ms since 1970]. */
interface Visit {
  /** When the visit before this one ended; null in the first one. */
  since: number | null
  /** When this visit last loaded a page. */
  last: number
}

const summary = element('p', { className: 'hint visit' })
let since: number | null = null

/** Notes this visit, marks what is new on the page, and forgets it when asked to. */
export function markSinceLastVisit(): void {
  const visit = noted(Date.now())
  const notice = document.querySelector('.kept-visit')
  if (!visit) {
    notice?.remove()
    return
  }
  since = visit.since
  notice?.querySelector('button')?.addEventListener('click', () => {
    localStorage.removeItem(NAME)
    since = null
    for (const mark of document.querySelectorAll('.is-new')) mark.remove()
    summary.remove()
    notice.replaceChildren('Forgotten. The next page begins again.')
  })
  markNew()
}

/** Returns the visit that a page belongs to, once it is kept; null if the browser keeps nothing. */
function noted(now: number): Visit | null {
  const kept = readKept(NAME) as Visit | null
  const isNext = kept !== null && now - kept.last > PAUSE_MS
  const visit = { since: (isNext ? kept.last : kept?.since) ?? null, last: now }
  return keep(NAME, visit) ? visit : null
}

const MESSAGES = 'main a[href^="/messages/"]:has(> time)'
const DAYS = 'main a.cell, main a.headline'

/** Marks what is new and not marked yet, and counts all that is. */
export function markNew(): void {
  if (since === null) return
  const own = keptIds()
  for (const link of document.querySelectorAll<HTMLAnchorElement>(MESSAGES))
    markMessage(link, since, own)
  for (const link of document.querySelectorAll<HTMLAnchorElement>(DAYS)) markDay(link, since)
  const found = [counted('message'), counted('answer', ' to you'), counted('day')].filter(Boolean)
  if (found.length === 0) return
  const left = new Date(since).toISOString()
  summary.textContent = `New here since ${left.slice(0, 10)} ${left.slice(11, 16)} UTC, when you left: ${found.join(', ')}.`
  document.querySelector('main')?.prepend(summary)
}

/** `2 answers to you`; empty for none. A day may be marked in two places. */
function counted(kind: Mark, more = ''): string {
  const marks = document.querySelectorAll<HTMLElement>(`.is-new[data-kind=${kind}]`)
  const { size } = new Set(Array.from(marks, ({ dataset }) => dataset.of))
  return size === 0 ? '' : `${size} ${kind}${size === 1 ? '' : 's'}${more}`
}

type Mark = 'message' | 'answer' | 'day'

/** @param own the ids of the visitor's messages */
function markMessage(link: HTMLAnchorElement, since: number, own: Set<string>): void {
  const item = link.closest('li, article')
  const id = numberIn(link.pathname)
  const published = Date.parse(link.querySelector('time')?.dateTime ?? '')
  if (!item || item.querySelector('.is-new') || !(published > since) || own.has(id)) return
  const isAnswer = own.has(answeredBy(item))
  link.append(' ', isAnswer ? mark('answer', id, 'answers you') : mark('message', id, 'new'))
}

/** The message that an item answers: that of its link, or of the address that ends its text; empty if there is none. */
function answeredBy(item: Element): string {
  const link = item.querySelector<HTMLAnchorElement>('.answers a')
  return numberIn(link?.pathname ?? item.querySelector('.body')?.textContent.trim() ?? '')
}

const numberIn = (text: string): string => /\/messages\/(\d+)$/.exec(text)?.[1] ?? ''

/** A day is new if it has ended since. */
function markDay(link: HTMLAnchorElement, since: number): void {
  const day = link.pathname.slice(-10)
  const end = Date.parse(day) + DAY_MS
  if (link.querySelector('.is-new') || !(end > since && end <= Date.now())) return
  const place = link.querySelector('.figures') ?? link
  place.append(' ', mark('day', day, 'new'))
}

function mark(kind: Mark, of: string, words: string): HTMLElement {
  const made = element('span', { className: 'is-new' }, words)
  Object.assign(made.dataset, { kind, of })
  return made
}
