// Keeps the lists of a page up to date: tells of new messages, and loads the lists again without a reload.
import { element } from '../element.ts'
import { markNew } from './since.ts'

const POLL_MS = 20_000

const MOST = 100

/** Replaces the lists of this page by their present state. */
export async function refreshLists(): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
  if (!response.ok) return
  const present = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const list of document.querySelectorAll('[data-live]')) {
    const fresh = present.getElementById(list.id)
    if (fresh) list.replaceWith(document.adoptNode(fresh))
  }
  markNew()
}

/** Offers to show new messages while the page is visible, if it has a list of them. Nothing else on the page moves. */
export function watchForNew(): void {
  if (!document.querySelector('[data-poll]')) return
  const show = element('button', { type: 'button' })
  // Always there, since a status that comes with its text may not be read out.
  const offer = element('p', { className: 'fresh', role: 'status' })
  document.body.append(offer)
  show.addEventListener('click', async () => {
    await refreshLists().catch(() => {})
    offer.replaceChildren()
    document.querySelector<HTMLElement>('[data-poll] h2')?.focus()
  })
  const poll = async () => {
    if (document.visibilityState !== 'visible') return
    const count = await countNew()
    if (count === 0) return offer.replaceChildren()
    const number = count < MOST ? String(count) : `${MOST} or more`
    show.textContent = `${number} new ${count === 1 ? 'message' : 'messages'}, show`
    if (!show.isConnected) offer.replaceChildren(show)
  }
  setInterval(poll, POLL_MS)
  document.addEventListener('visibilitychange', poll)
}

/** Counts the messages since the newest on this page. The browser asks by ETag, so an idle board sends none again. */
async function countNew(): Promise<number> {
  const url = document.querySelector<HTMLElement>('[data-poll]')?.dataset.poll ?? ''
  const found = await fetch(`${url}&limit=${MOST}`, { cache: 'no-cache' })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null)
  return found?.messages.length ?? 0
}
