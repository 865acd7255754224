// Keeps the receipts of the visitor's own messages in localStorage, and compares them with the leaves of sealed days.
import { toHex } from '../../../../protocol/bits.ts'
import { element } from '../element.ts'
import { keep, readKept } from '../kept.ts'

const NAME = 'daysignal receipts'
/** The oldest are dropped. */
const MAX_KEPT = 500

interface Kept {
  /** The signed note, as the service sent it. */
  note: string
  isSealed: boolean
  /** The first of the message. */
  words?: string
}

/** `absent`: the service gives none now. `unkept`: it was not reached, or the browser's storage is denied or full. */
export type Keeping = 'kept' | 'unkept' | 'absent'

/** Fetches a receipt and keeps it in this browser, with the first words of its message. */
export async function keepReceipt(url: string, body = ''): Promise<Keeping> {
  const words = firstOf(body.trim())
  try {
    const response = await fetch(url)
    if (!response.ok) return 'absent'
    const note = await response.text()
    const others = read().filter((kept) => kept.note !== note)
    return save([...others, { note, isSealed: false, words }]) ? 'kept' : 'unkept'
  } catch {
    return 'unkept'
  }
}

const firstOf = (text: string): string => {
  const [words = [...text].slice(0, 60).join('')] = /^.{1,60}(?!\S)/su.exec(text) ?? []
  return words === text ? text : `${words} …`
}

/** The receipt of a message that this browser keeps, if it keeps one. */
export const keptReceipt = (id: string): string | undefined =>
  read().find(({ note }) => idIn(note) === id)?.note

/** The messages of which this browser keeps receipts. */
export const keptIds = (): Set<string> => new Set(read().map(({ note }) => idIn(note)))

/** The receipts whose day is sealed without their leaves, as compared last. */
let broken: readonly string[] = []

/**
 * Lists the visitor's messages, newest first, with what is known of their days.
 * @param messageUrl the address of a message, with `:id` in its place
 */
export function listOwn(place: HTMLElement, messageUrl: string): void {
  const earlier = place.querySelector('.own')
  const isOpen = earlier?.querySelector('details')?.open ?? false
  earlier?.remove()
  const own = read().reverse()
  if (own.length === 0) return
  const list = element(
    'details',
    { open: isOpen },
    element('summary', {}, `Your messages, as this browser keeps them: ${own.length}`),
    element('ul', { className: 'plain' }, ...own.map((kept) => ownItem(kept, messageUrl))),
  )
  place.append(element('div', { className: 'own' }, list, ...broken.map(brokenNotice)))
}

const brokenNotice = (note: string): HTMLElement =>
  element(
    'p',
    { className: 'notice' },
    `Message ${idIn(note)} is not sealed as written. Its `,
    element(
      'a',
      { href: URL.createObjectURL(new Blob([note])), download: `${idIn(note)}.receipt` },
      'receipt',
    ),
    ' shows it to everybody.',
  )

function ownItem({ note, isSealed, words }: Kept, messageUrl: string): HTMLElement {
  const id = idIn(note)
  const name = words ? `“${words}”` : `Message ${id}`
  const link = element('a', { href: messageUrl.replace(':id', id) }, name)
  const state = isSealed ? ', sealed as written' : broken.includes(note) ? ', not as written' : ''
  return element('li', {}, link, element('span', { className: 'hint' }, ` ${dayIn(note)}${state}`))
}

/**
 * Compares the visitor's messages with the leaves of their days, for the list.
 * @param leavesUrl the address of the leaves of a day, with `DAY` in its place
 */
export async function compareOwn(leavesUrl: string): Promise<void> {
  if (!canHash()) return
  const found: string[] = []
  const today = new Date().toISOString().slice(0, 10)
  const open = read().filter(({ note, isSealed }) => !isSealed && dayIn(note) < today)
  for (const [day, notes] of Map.groupBy(open, ({ note }) => dayIn(note))) {
    const leaves = await leavesAt(leavesUrl.replace('DAY', day))
    if (leaves === null) continue
    // The hash of the leaf that a receipt promises (FORMAT.md 18.2).
    for (const { note } of notes)
      if (leaves.has(await sha256(`\0${linesOf(note).join('\n')}\n`))) markSealed(note)
      else found.push(note)
  }
  broken = found
}

/** The leaves of a sealed day; null if they are not to be had. */
async function leavesAt(url: string): Promise<Set<string> | null> {
  const response = await fetch(url).catch(() => null)
  return response?.ok ? new Set((await response.text()).split('\n')) : null
}

/** The lines of the leaf, which follow the first line and the origin. */
const linesOf = (note: string): string[] => (note.split('\n\n')[0] ?? '').split('\n').slice(2)

const idIn = (note: string): string => linesOf(note)[1] ?? ''
const dayIn = (note: string): string => (linesOf(note)[5] ?? '').slice(0, 10)

/** Reads again, since another tab may have kept a receipt meanwhile. */
function markSealed(note: string): void {
  save(read().map((kept) => (kept.note === note ? { ...kept, isSealed: true } : kept)))
}

function read(): Kept[] {
  const kept = readKept(NAME)
  return Array.isArray(kept) ? kept.filter((one) => dayIn(String(one?.note)) !== '') : []
}

const save = (kept: readonly Kept[]): boolean => keep(NAME, kept.slice(-MAX_KEPT))

/** Whether the browser has crypto.subtle, which it provides only over HTTPS and on localhost. */
export const canHash = (): boolean => globalThis.crypto.subtle !== undefined

/** Returns SHA-256 in hex. */
export async function sha256(text: string): Promise<string> {
  return toHex(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  )
}
