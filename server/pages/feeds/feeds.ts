// Composes the Atom feeds (RFC 4287) of messages and of days (API.md 2.8).

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { byKind } from '../../../archive/format/media.ts'
import { ARCHIVE_FEED_URL, ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import type { Answering, Answers } from '../../board/answers.ts'
import type { MessageRecord } from '../../board/api.ts'
import type { Headline } from '../../sections/headlines.ts'
import type { ServedManifest, ServedMedium, TransmissionPages } from '../../transmissions/views.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { FEED_URL } from '../api.ts'
import { answersLink, ownText, quotedWords } from '../board/answering.ts'
import { conclusionSentence } from '../days/coverage.ts'
import { headlineTitle, linesQuoted } from '../days/headline.ts'
import { pictureOf } from '../frame/layout.ts'
import { longDate } from '../parts/dates.ts'
import { type Html, html, raw } from '../parts/html.ts'
import { kindName } from '../parts/kinds.ts'
import { firstLine, firstWords, shownLabel, TITLE_CHARACTERS } from '../parts/user-text.ts'
import { formatCount } from '../static/counters.ts'

/** The author of an unsigned message: Atom requires one in every entry. */
const NOBODY = 'no name given'

/** The feed of a directory or an investigation, or by default of the whole board. */
export interface FeedOf {
  title: string
  /** The paths of the feed and of its page. */
  self: string
  page: string
}

const WHOLE_BOARD: FeedOf = { title: 'messages', self: FEED_URL, page: '/' }

export const directoryFeedUrl = (path: string): string =>
  `${FEED_URL}?directory=${encodeURIComponent(path)}`

/** @param baseUrl without a trailing slash */
export const messageFeed = (
  messages: readonly MessageRecord[],
  answers: Answers,
  baseUrl: string,
  { title, self, page }: FeedOf = WHOLE_BOARD,
): string =>
  atomFeed({
    title: `Daysignal: ${title}`,
    subtitle: 'Public, unverified text. Names are self-declared.',
    self: baseUrl + self,
    page: baseUrl + page,
    entries: messages.map((message) => messageEntry(message, baseUrl, answers.get(message.id))),
  })

function messageEntry(
  { id, directory, body, author_label, publish_at }: MessageRecord,
  baseUrl: string,
  { to, entry }: Partial<Answering> = {},
): FeedEntry {
  const text = ownText(body, to)
  const link = answersLink(to, (other) => baseUrl + messageUrl(other))
  return {
    url: baseUrl + messageUrl(id),
    title: `${entry ? `${kindName(entry.kind)}, ${firstWords(entry.title, TITLE_CHARACTERS)}` : directory}: ${firstLine(text) || (to ? `answers ${quotedWords(to.message_id, to.beginning)}` : '')}`,
    at: publish_at,
    author: shownLabel(author_label) || NOBODY,
    content: to
      ? { type: 'html', value: String(html`${link}${text && linesOf(text)}`) }
      : { type: 'text', value: body },
    enclosures: [],
  }
}

/** Renders a text for a reader without this service's style sheet. */
const linesOf = (text: string): Html =>
  html`<p dir="auto">${text.split('\n').map((line, i) => html`${i > 0 ? html`<br>` : ''}${line}`)}</p>`

export const dayFeed: TransmissionPages['feed'] = (days, headlines, baseUrl) =>
  atomFeed({
    title: 'Daysignal: transmissions',
    subtitle: 'Every finished day as twelve counters, a sound, a picture and a film.',
    self: baseUrl + ARCHIVE_FEED_URL,
    page: baseUrl + ARCHIVE_URL,
    entries: days.map((day) => dayEntry(day, headlines.get(day.day), baseUrl)),
  })

const dayEntry = (
  manifest: ServedManifest,
  headline: Headline | undefined,
  baseUrl: string,
): FeedEntry => {
  const { day, snapshot, media } = manifest
  return {
    url: baseUrl + dayUrl(day),
    title: `${longDate(day)}: ${headlineTitle(headline, snapshot)}`,
    at: snapshot.generated_at,
    author: 'Daysignal',
    content: { type: 'html', value: String(dayContent(manifest, headline, baseUrl)) },
    enclosures: byKind<ServedMedium>(media).flatMap(([, medium]) =>
      medium.available
        ? { url: baseUrl + medium.url, type: medium.content_type, bytes: medium.bytes }
        : [],
    ),
  }
}

/** The picture of a day, if there is one, its first words and its numbers. */
function dayContent(manifest: ServedManifest, told: Headline | undefined, baseUrl: string): Html {
  const { counters } = manifest.snapshot
  const picture = pictureOf(manifest)
  return html`${
    picture &&
    html`<p><img src="${baseUrl}${picture.path}" width="${picture.width}" height="${picture.height}" alt="${picture.alt}"></p>\n`
  }${linesQuoted(told).map(({ id, quote }) => html`<p dir="auto"><a href="${baseUrl + messageUrl(id)}">${quote}</a></p>\n`)}<p>${conclusionSentence(manifest.snapshot)}</p>
<ul>${COUNTER_NAMES.map((name) => html`<li>${COUNTER_LABELS[name]}: ${formatCount(counters[name])}</li>`)}</ul>`
}

interface Feed {
  title: string
  subtitle: string
  /** The absolute URL of the feed, which is also its id. */
  self: string
  /** The absolute URL of the page that the feed follows. */
  page: string
  /** Newest first. */
  entries: readonly FeedEntry[]
}

interface FeedEntry {
  /** The absolute URL of the entry's page, which is also its id. */
  url: string
  title: string
  /** RFC 3339 */
  at: string
  author: string
  /** A text of a stranger as it is, or HTML of this service. */
  content: { type: 'text' | 'html'; value: string }
  enclosures: readonly { url: string; type: string; bytes: number }[]
}

/** The `updated` of a feed without entries, which Atom requires. */
const NEVER = '1970-01-01T00:00:00.000Z'

/** The board rejects every character that XML 1.0 forbids (API.md 1.6), and a parser would replace a literal CR with LF. */
export const atomFeed = ({ title, subtitle, self, page, entries }: Feed): string =>
  String(html`${raw('<?xml version="1.0" encoding="utf-8"?>')}
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${self}</id>
<title>${title}</title>
<subtitle>${subtitle}</subtitle>
<updated>${entries[0]?.at ?? NEVER}</updated>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${entries.map(entryElement)}</feed>
`).replaceAll('\r', '&#13;')

const entryElement = ({ url, title, at, author, content, enclosures }: FeedEntry): Html =>
  html`<entry>
<id>${url}</id>
<title>${title}</title>
<updated>${at}</updated>
<published>${at}</published>
<author><name>${author}</name></author>
<link rel="alternate" type="text/html" href="${url}"/>
${enclosures.map(({ url, type, bytes }) => html`<link rel="enclosure" type="${type}" length="${bytes}" href="${url}"/>\n`)}<content type="${content.type}">${content.value}</content>
</entry>
`
