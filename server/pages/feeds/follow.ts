// Renders the page with the addresses of the feeds: what each brings, and how often. Links to feeds lead here, because
// browsers show a feed as raw XML.
import { ARCHIVE_FEED_URL, PODCAST_URL } from '../../../archive/format/paths.ts'
import { directoryUrl, investigationUrl } from '../../wire/addresses.ts'
import { FEED_URL, FOLLOW_URL, HOW_URL } from '../api.ts'
import { layout, type Site } from '../frame/layout.ts'
import { command } from '../parts/command.ts'
import { type Html, html } from '../parts/html.ts'
import { directoryFeedUrl } from './feeds.ts'

export interface FollowView extends Required<Site> {
  /** When a day becomes sound, such as `at 00:05 UTC`. */
  soundTime: string
  /** The path of a directory whose feed is shown first; empty for none. */
  directory: string
  /** An investigation whose feed is shown first. */
  investigation: { id: bigint; title: string } | null
}

/** The page that offers the feed of a directory first. */
export const followDirectoryUrl = (path: string): string =>
  `${FOLLOW_URL}?directory=${encodeURIComponent(path)}`

/** The page that offers the feed of an investigation first. */
export const followInvestigationUrl = (id: bigint): string => `${FOLLOW_URL}?investigation=${id}`

export function followPage(view: FollowView): string {
  const { soundTime, directory, investigation } = view
  const address = (path: string) => command(view.baseUrl + path)
  return layout(view, {
    title: 'Follow',
    description: 'The addresses of the podcast and of the feeds, to copy into an app.',
    path: FOLLOW_URL,
    script: 'enhance-page',
    main: html`<h1>Follow</h1>
<p class="lead">
  Copy an address into a podcast app or a feed reader, and it brings what is new. Nobody needs an
  account, and nobody is told that you follow.
</p>
${investigation && one(html`<a href="${investigationUrl(investigation.id)}" dir="auto">${investigation.title}</a>`, 'The newest entries of this investigation, as soon as they are published. For a feed reader.', address(`${investigationUrl(investigation.id)}.atom`))}
${directory !== '' && one(html`<a class="path" href="${directoryUrl(directory)}">${directory}</a>`, 'The newest messages of this directory, as soon as they are published. For a feed reader.', address(directoryFeedUrl(directory)))}
${one('Podcast', `Each day as half a minute of tones with its film, once a day ${soundTime}. On a phone, paste the address into the search of a podcast app, or where it says “Add by URL”.`, address(PODCAST_URL))}
${one('Days', `Each finished day with its numbers, picture and sound, once a day ${soundTime}. For a feed reader.`, address(ARCHIVE_FEED_URL))}
${one('Messages', 'The newest messages of the whole board, as soon as they are published. For a feed reader.', address(FEED_URL))}
<p class="hint">Each directory and each investigation has a feed of its own: “Follow” there leads to it. <a href="${HOW_URL}">How a day becomes sound</a></p>`,
  })
}

const one = (title: string | Html, brings: string, address: Html): Html =>
  html`<section><h2>${title}</h2><p>${brings}</p>${address}</section>
`
