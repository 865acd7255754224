// The pages of the board: directories, one directory, one message.
import { html } from 'hono/html'
import type { DirectoryRecord, MessageRecord } from '../board/queries.ts'
import {
  type BoardPages,
  type DirectoryPage,
  type DirectoryView,
  MESSAGES_SHOWN,
} from '../board/routes.ts'
import { type Html, layout } from './layout.ts'

export const boardPages: BoardPages = {
  directories: (page) =>
    layout({ title: 'Directories', section: 'directories', main: directoriesMain(page) }),
  directory: (view) =>
    layout({ title: view.directory.path, section: 'directories', main: directoryMain(view) }),
  message: (message) =>
    layout({ title: `Message ${message.id}`, section: 'directories', main: messageMain(message) }),
}

function directoriesMain({ directories, next_cursor }: DirectoryPage): Html {
  return html`<h1>Directories</h1>
${directories.length === 0 ? html`<p class="empty">No directories here yet.</p>` : directoryList(directories)}
${directories.length === 0 ? '' : html`<p class="pages"><a href="/directories?after=${encodeURIComponent(next_cursor)}" rel="next">Further directories</a></p>`}`
}

const directoryList = (directories: DirectoryRecord[]): Html =>
  html`<ul class="directories">${directories.map(
    (directory) =>
      html`<li><a href="${directory.url}">${directory.path}</a> ${byline(directory.author_label, directory.created_at)}</li>`,
  )}</ul>`

function directoryMain(view: DirectoryView): Html {
  const { directory, directories, messages } = view
  const last = messages.at(-1)
  return html`<h1>${pathLinks(directory.path)}</h1>
<p>${byline(directory.author_label, directory.created_at)}</p>
${directories.length > 0 ? html`<h2>Below it</h2>${directoryList(directories)}` : ''}
<h2>Messages</h2>
${messages.length === 0 ? html`<p class="empty">No messages here.</p>` : messages.map(messageCard)}
${last && messages.length === MESSAGES_SHOWN ? html`<p class="pages"><a href="${directory.url}?messages_after=${last.id}" rel="next">Later messages</a></p>` : ''}`
}

/** Each segment of a path linked to its directory. */
export function pathLinks(path: string): Html {
  const segments = path.split('/')
  return html`${segments.map((segment, i) => {
    const url = `/d/${segments.slice(0, i + 1).join('/')}`
    return html`${i > 0 ? ' / ' : ''}<a href="${url}">${segment}</a>`
  })}`
}

/** Who says so, and when. */
export const byline = (authorLabel: string, at: string): Html =>
  html`<span class="byline">${authorLabel === '' ? '' : html`<span class="author">${authorLabel}</span> · `}<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time></span>`

const messageCard = (message: MessageRecord): Html =>
  html`<article class="message">
<p class="meta"><a href="/messages/${message.id}">#${message.id}</a> ${byline(message.author_label, message.publish_at)}</p>
<pre class="body">${message.body}</pre>
</article>`

function messageMain(message: MessageRecord): Html {
  return html`<h1>Message ${message.id}</h1>
<p>in ${pathLinks(message.directory)} · ${byline(message.author_label, message.publish_at)}</p>
<pre class="body">${message.body}</pre>
<dl class="facts">
<dt>SHA-256 of the body</dt><dd class="hash">${message.body_hash}</dd>
<dt>Received</dt><dd>${message.received_at}</dd>
<dt>Published</dt><dd>${message.publish_at}</dd>
<dt>Other forms</dt><dd><a href="/messages/${message.id}.json">JSON</a> · <a href="/messages/${message.id}.txt">plain text</a></dd>
</dl>`
}
