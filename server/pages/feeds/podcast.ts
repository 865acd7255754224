// Composes the podcast of the days' films: RSS 2.0 with the tags of Apple Podcasts (API.md 2.8).

import { ARCHIVE_URL, dayUrl, PODCAST_URL } from '../../../archive/format/paths.ts'
import type { Headline } from '../../sections/headlines.ts'
import type { ServedManifest, TransmissionPages } from '../../transmissions/views.ts'
import { conclusionSentence } from '../days/coverage.ts'
import { asSentence, headlineTitle, linesQuoted } from '../days/headline.ts'
import { COVER_FILE } from '../frame/brand.ts'
import { longDate } from '../parts/dates.ts'
import { type Html, html, raw } from '../parts/html.ts'

const DESCRIPTION =
  'Every finished day of a public text board as half a minute of tones, which carry the numbers of the day.'

export const podcastFeed: TransmissionPages['podcast'] = (days, headlines, baseUrl) =>
  String(html`${raw('<?xml version="1.0" encoding="utf-8"?>')}
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>Daysignal</title>
<link>${baseUrl}${ARCHIVE_URL}</link>
<atom:link rel="self" type="application/rss+xml" href="${baseUrl}${PODCAST_URL}"/>
<description>${DESCRIPTION}</description>
<language>en</language>
<itunes:author>Daysignal</itunes:author>
<itunes:image href="${baseUrl}${COVER_FILE.path}"/>
<itunes:category text="Arts"/>
<itunes:explicit>false</itunes:explicit>
<itunes:type>episodic</itunes:type>
${days.map((day) => episode(day, headlines.get(day.day), baseUrl))}</channel>
</rss>
`)

/** Renders the episode of a day; empty without a film. */
function episode(
  { day, snapshot, media: { mp4, png } }: ServedManifest,
  headline: Headline | undefined,
  baseUrl: string,
): Html | '' {
  if (!mp4.available) return ''
  const page = baseUrl + dayUrl(day)
  return html`<item>
<title>${longDate(day)}: ${headlineTitle(headline, snapshot)}</title>
<link>${page}</link>
<guid isPermaLink="true">${page}</guid>
<pubDate>${new Date(snapshot.generated_at).toUTCString()}</pubDate>
<description>${linesQuoted(headline).map(({ quote }) => `${asSentence(quote)} `)}${conclusionSentence(snapshot)}</description>
<enclosure url="${baseUrl}${mp4.url}" length="${mp4.bytes}" type="${mp4.content_type}"/>
<itunes:duration>${Math.round(mp4.duration_seconds)}</itunes:duration>
<itunes:explicit>false</itunes:explicit>
${png.available ? html`<itunes:image href="${baseUrl}${png.url}"/>\n` : ''}</item>
`
}
