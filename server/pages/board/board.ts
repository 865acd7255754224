// Renders the pages of the board: all directories as a tree, and one directory with its messages.

import { dayOf as utcDay } from '../../../archive/format/calendar.ts'
import { BOARD, type MessageRecord } from '../../board/api.ts'
import type { Branch } from '../../board/directory-tree.ts'
import type { BoardPages, DirectoriesView, DirectoryView } from '../../board/views.ts'
import type { EntryInContext } from '../../investigations/entries.ts'
import { directoryUrl, messageUrl } from '../../wire/addresses.ts'
import { directoryFeedUrl } from '../feeds/feeds.ts'
import { followDirectoryUrl } from '../feeds/follow.ts'
import { closedNotice, layout } from '../frame/layout.ts'
import { dayWithWeekday, moment, permalink, timeOfDay } from '../parts/dates.ts'
import { fitting, htmlOf, type Rendered, sizeOf } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { breadcrumb } from '../parts/paths.ts'
import { authorOf, clampedBody } from '../parts/user-text.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { FORM_ID } from '../write/form-fields.ts'
import { directoryForm, messageForm, scriptOf } from '../write/forms.ts'
import { answeredText } from './answering.ts'
import { entryLink } from './entry.ts'
import { messagePage } from './message.ts'
import { directoryTable, spark } from './tree.ts'

export const boardPages: BoardPages<EntryInContext> = {
  directories: (view) =>
    layout(view, {
      title: 'Board',
      description: 'Plain text in directories, which anyone can read and write without an account.',
      section: 'directories',
      path: '/directories',
      script: scriptOf(view),
      main: directoriesMain(view),
    }),
  directory: (view) =>
    layout(view, {
      title: view.directory.path,
      description: `The messages in ${view.directory.path}, where anyone can write.`,
      path: directoryUrl(view.directory.path),
      feed: {
        path: directoryFeedUrl(view.directory.path),
        title: `Messages in ${view.directory.path}`,
      },
      section: 'directories',
      script: scriptOf(view) ?? 'enhance-page',
      main: directoryMain(view),
    }),
  message: messagePage,
}

function directoriesMain(view: DirectoriesView): Html {
  const { rows, last, hasMore, closed } = view
  const next = `/directories?after=${encodeURIComponent(last)}`
  return html`<h1>Board</h1>
<p class="lead">
  Plain text in directories. Anyone can read, write and
  ${closed === null ? html`<a href="#${FORM_ID}">create a directory</a>` : 'create a directory'}.
</p>
${closedNotice(closed)}
<section aria-label="Directories">
${
  rows.length === 0
    ? html`<p class="empty">No directories here.${last && html` <a href="/directories">Back to the first</a>`}</p>`
    : directoryTable(rows, view)
}
${hasMore ? html`<p class="pages"><a href="${next}" rel="next">More directories</a></p>` : ''}
</section>
${closed === null ? html`<details class="fold"${rows.length === 0 && last === '' ? html` open` : ''}><summary>Create a directory</summary>${directoryForm(view)}</details>` : ''}`
}

/** Limit for the messages of a directory and its subdirectories [bytes of HTML]. */
const LISTS_BYTES = 21_500

function directoryMain(view: DirectoryView): Html {
  const { directory, closed } = view
  const below = directoriesBelow(view)
  return html`${breadcrumb(directory.path)}
<div class="directory">
<div class="about">
${directoryFacts(view)}
${closed === null ? html`<p><a class="act" href="#${FORM_ID}">Write here</a></p>` : closedNotice(closed)}
${below}
</div>
<div>
${messageList(view, LISTS_BYTES - sizeOf(below))}
${messageForm(view, directory.path)}
</div>
</div>`
}

/** Renders who created the directory and its message counts, which a new directory may not have yet. */
function directoryFacts({ directory, branch, now }: DirectoryView): Html {
  const { author_label, created_at } = directory
  return html`<p class="meta"><span>Created${authorOf(author_label, ' by ', ',')} ${moment(created_at)}</span></p>
${branch ? html`<p class="meta" id="counts" data-live><span>${messagesIn(branch)}</span> ${spark(branch.days, now)}</p>` : ''}`
}

/** `157 messages here, 71 below` */
const messagesIn = ({ here, below, children }: Branch): string =>
  `${quantity(here, 'message')} here${children.length === 0 ? '' : `, ${formatCount(below)} below`}`

function directoriesBelow(view: DirectoryView): Html | string {
  const { directory, children, hasMoreChildren } = view
  const last = children.at(-1)?.branch
  if (last === undefined) return ''
  const next = `${directory.url}?after=${encodeURIComponent(last.path)}`
  return html`<section class="below"><h2>Subdirectories</h2>
${directoryTable(children, view)}
${hasMoreChildren ? html`<p class="pages"><a href="${next}" rel="next">More subdirectories</a></p>` : ''}</section>`
}

/** @param bytes the limit for the HTML of the messages */
function messageList(view: DirectoryView, bytes: number): Html {
  const { directory, order } = view
  const shown = fitting(bytes, view.messages, (message) => messageItem(message, view))
  const isCut = shown.length < view.messages.length
  const messages_cursor = isCut ? shown.at(-1)?.item.id : view.messages_cursor
  const { url } = directory
  const oldestFirst = html`<a href="${url}?messages_after=0">Oldest first</a>`
  const newestFirst = html`<a href="${url}">Newest first</a>`
  const isNewestFirst = order === 'newest first'
  const next = isNewestFirst
    ? html`<a href="${url}?messages_before=${messages_cursor}" rel="next">Earlier messages</a>`
    : html`<a href="${url}?messages_after=${messages_cursor}" rel="next">Later messages</a>`
  return html`<section class="messages" id="list" data-live${pollOf(view)} aria-labelledby="messages">
<div class="list-head">
  <h2 id="messages" tabindex="-1">Messages, ${order}</h2>${' '}
  ${shown.length === 0 && view.is_newest ? '' : dayForm(view)}
  <p>
    ${view.is_newest ? '' : html`${newestFirst} `}${isNewestFirst && (shown.length > 1 || !view.is_newest) ? html`${oldestFirst} ` : ''}<a
    href="${followDirectoryUrl(directory.path)}">Follow</a>
  </p>
</div>
${shown.length === 0 ? html`<p class="empty">No messages here.</p>` : [...Map.groupBy(shown, dayOf)].map(messagesOfDay)}
${messages_cursor === undefined ? '' : html`<p class="pages">${next}</p>`}
</section>`
}

const dayForm = ({ directory, now }: DirectoryView): Html =>
  html`<form class="day" action="${directory.url}#list">
<label for="on">Until</label>
<input id="on" type="date" name="on" required min="${directory.created_at.slice(0, 10)}" max="${utcDay(now)}">
<button>Go to day</button>
</form>`

/** The first page of the newest messages tells of newer ones. */
function pollOf({ is_newest, directory, messages }: DirectoryView): Html | string {
  if (!is_newest) return ''
  const query = `directory=${encodeURIComponent(directory.path)}&after=${messages[0]?.id ?? 0}`
  return html` data-poll="${BOARD.listMessages.path}?${query}"`
}

type Item = Rendered<MessageRecord>

const dayOf = ({ item }: Item): string => item.publish_at.slice(0, 10)

const messagesOfDay = ([day, items]: [string, Item[]]): Html =>
  html`<section class="of-day">
<h3>${dayWithWeekday(day)}</h3>
${items.map(htmlOf)}</section>
`

function messageItem(message: MessageRecord, { answers }: DirectoryView): Html {
  const { id, author_label, publish_at } = message
  const answering = answers.get(id)
  return html`<article class="message" id="message-${id}">
<p class="meta">${permalink(id, timeOfDay(publish_at))} ${entryLink(id, answering)}${authorOf(author_label)}</p>
${answeredText(message, answering, (text) => clampedBody(text, messageUrl(id)))}</article>
`
}
