// Shows a published record after the form is sent: its link, text and hash.
import { element } from '../element.ts'
import { canHash, type Keeping, keepReceipt, sha256 } from './receipts.ts'
import type { Success } from './request.ts'

interface Sent {
  /** The text that was sent, for a record that has one. */
  body: string | undefined
  /** The chip of the message that the text answers, and the part of the text before its address; null without one. */
  answers: { chip: Element; before: string } | null
  /** When the current day becomes sound, as in `at 00:05 UTC`. */
  sound: string
  /** The address of the receipt; null if there is none. */
  receipt: string | null
}

/** @param writeAgain shows the form again, whose place the record takes */
export async function showPublished(
  place: HTMLElement,
  created: Success['created'],
  { body, answers, sound, receipt }: Sent,
  writeAgain: () => void,
): Promise<void> {
  const { url, message_url, body_hash, directory } = created
  const where = directory === undefined ? '' : `${directory} and in `
  const shown = [
    element('h3', {}, 'Published: ', linkTo(url)),
    ...(message_url ? [element('p', {}, 'The question is ', linkTo(message_url), '.')] : []),
    ...(answers ? [answersLink(answers.chip)] : []),
    ...(body === undefined
      ? []
      : [element('div', { className: 'body', dir: 'auto' }, answers?.before ?? body)]),
    element(
      'p',
      {},
      `${body === undefined ? 'It is' : 'Your words are'} in ${where}the day that becomes sound ${sound}.`,
    ),
  ]
  if (receipt !== null) shown.push(receiptOf(receipt, await keepReceipt(receipt, body)))
  if (body_hash !== undefined && body !== undefined)
    shown.push(
      element(
        'p',
        { className: 'hint' },
        'SHA-256 ',
        element('span', { className: 'hash' }, body_hash),
        await verdict(body, body_hash),
      ),
    )
  const again = element('button', { type: 'button' }, 'Write another')
  again.addEventListener('click', writeAgain)
  const see = element('a', { className: 'act', href: url }, 'Open its page')
  place.replaceChildren(...shown, element('p', { className: 'actions' }, see, again))
  place.hidden = false
}

const receiptOf = (url: string, keeping: Keeping) =>
  keeping === 'absent'
    ? element('p', { className: 'notice' }, ABSENT)
    : element(
        'p',
        { className: 'hint' },
        element('a', { href: url, download: url.slice(url.lastIndexOf('/') + 1) }, 'Receipt'),
        ': a signed promise that this will be sealed with its day, as you wrote it. ',
        keeping === 'kept' ? 'This browser keeps it.' : 'This browser could not keep it: save it.',
      )

const ABSENT = 'There is no receipt now: nobody has promised that this will be sealed with its day.'

/** The message that a chip quotes, as lists link it. */
function answersLink(chip: Element): HTMLElement {
  const { href = '' } = chip.querySelector('a') ?? {}
  const author = chip.querySelector('.author')
  const quoted = chip.querySelector('q') ?? ''
  return element(
    'p',
    { className: 'answers' },
    element('a', { href }, 'answers ', ...(author ? [author, ': '] : []), quoted),
  )
}

const linkTo = (url: string) => element('a', { href: url }, nameOf(url))

/** `/messages/12` -> `message 12`. Takes the number from the URL, because it may exceed a safe integer. */
function nameOf(url: string): string {
  const [, kind = '', rest = ''] = /^\/(d|messages|investigations)\/(.*)$/.exec(url) ?? []
  return kind === 'd' ? rest : `${kind.slice(0, -1)} ${rest}`
}

async function verdict(body: string, hash: string): Promise<string> {
  if (!canHash()) return ''
  return (await sha256(body)) === hash
    ? ': the hash matches what you sent.'
    : ': the hash does not match what you sent.'
}
