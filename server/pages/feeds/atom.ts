// Serializes Atom feeds (RFC 4287).

export interface Feed {
  title: string
  subtitle: string
  /** The absolute URL of the feed, which is also its id. */
  self: string
  /** The absolute URL of the page that the feed follows. */
  page: string
  /** Newest first. */
  entries: readonly FeedEntry[]
}

export interface FeedEntry {
  /** The absolute URL of the entry's page, which is also its id. */
  url: string
  title: string
  /** RFC 3339 */
  at: string
  author: string
  /** A text of a stranger as it is, or HTML of this service. */
  content: { type: 'text' | 'html'; value: string }
  enclosures: readonly Enclosure[]
}

type Enclosure = { url: string; type: string; bytes: number }

/** The `updated` of a feed without entries, which Atom requires. */
const NEVER = '1970-01-01T00:00:00.000Z'

export const atomFeed = ({ title, subtitle, self, page, entries }: Feed): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escaped(self)}</id>
<title>${escaped(title)}</title>
<subtitle>${escaped(subtitle)}</subtitle>
<updated>${entries[0]?.at ?? NEVER}</updated>
<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>
<link rel="alternate" type="text/html" href="${escaped(page)}"/>
${entries.map(entryElement).join('')}</feed>
`

const entryElement = ({
  url,
  title,
  at,
  author,
  content,
  enclosures,
}: FeedEntry): string => `<entry>
<id>${escaped(url)}</id>
<title>${escaped(title)}</title>
<updated>${at}</updated>
<published>${at}</published>
<author><name>${escaped(author)}</name></author>
<link rel="alternate" type="text/html" href="${escaped(url)}"/>
${enclosures.map(enclosureElement).join('')}<content type="${content.type}">${escaped(content.value)}</content>
</entry>
`

const enclosureElement = ({ url, type, bytes }: Enclosure): string =>
  `<link rel="enclosure" type="${type}" length="${bytes}" href="${escaped(url)}"/>\n`

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // An XML parser would replace a literal CR with LF.
  '\r': '&#13;',
}

/** Escaping is enough: the board rejects every character that XML 1.0 forbids (API.md 1.6). */
const escaped = (text: string): string =>
  text.replace(/[&<>"\r]/g, (character) => ENTITIES[character] as string)
