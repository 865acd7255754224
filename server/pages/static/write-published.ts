// What a publication answers, shown in place of what was typed: the record, its number, its hash.
import { element } from './element.ts'

/** What the four answers have in common; a directory has no hash. */
interface Created {
  url: string
  message_url?: string
  body_hash?: string
}

/** @param body what was sent as the record's text, where it has one */
export async function showPublished(
  place: HTMLElement,
  created: Created,
  body: string | undefined,
): Promise<void> {
  const { url, message_url, body_hash } = created
  const shown = [
    element('h3', {}, 'Published: ', element('a', { href: url }, nameOf(url))),
    ...(message_url ? [element('p', {}, 'Its question is ', linkTo(message_url), '.')] : []),
    ...(body === undefined ? [] : [bodyOf(body)]),
  ]
  if (body_hash !== undefined && body !== undefined)
    shown.push(
      element(
        'p',
        { className: 'hint' },
        'SHA-256 ',
        hashOf(body_hash),
        await verdict(body, body_hash),
      ),
    )
  place.replaceChildren(...shown)
  place.hidden = false
  place.focus()
}

const bodyOf = (text: string) => element('div', { className: 'body', dir: 'auto' }, text)

const linkTo = (url: string) => element('a', { href: url }, nameOf(url))

const hashOf = (hash: string) => element('span', { className: 'hash' }, hash)

/** `/messages/12` -> `message 12`: the number as the service wrote it, however large. */
function nameOf(url: string): string {
  const [, kind = '', rest = ''] = /^\/(d|messages|investigations)\/(.*)$/.exec(url) ?? []
  return kind === 'd' ? rest : `${kind.slice(0, -1)} ${rest}`
}

async function verdict(body: string, hash: string): Promise<string> {
  // Over plain HTTP a browser offers no hash, but on the machine itself.
  if (!globalThis.crypto.subtle) return ''
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
  return hex.join('') === hash
    ? ': the hash matches what you sent.'
    : ': the hash does not match what you sent.'
}
