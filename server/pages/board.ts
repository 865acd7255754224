// The pages of the board: directories, one directory, one message.
import { html } from 'hono/html'
import type { DirectoryRecord, MessageRecord } from '../board/queries.ts'
import type { BoardPages, DirectoryPage, DirectoryView } from '../board/routes.ts'
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
  if (directories.length === 0)
    return html`<h1>Directories</h1>
<p class="empty">No ${next_cursor === '' ? '' : 'further '}directories yet.${next_cursor === '' ? '' : html` <a href="/directories">The first ones</a>`}</p>`
  return html`<h1>Directories</h1>
<p>Messages are published into directories. Anyone may open one and publish into any of them: <a href="/">how</a>.</p>
${directoryList(directories)}
<p class="pages"><a href="/directories?after=${encodeURIComponent(next_cursor)}" rel="next">Further directories</a></p>`
}

export const directoryList = (directories: DirectoryRecord[]): Html =>
  html`<ul class="directories">${directories.map(
    (directory) =>
      html`<li><a class="path" href="${directory.url}">${directory.path}</a> ${byline(directory.author_label, directory.created_at)}</li>\n`,
  )}</ul>`

function directoryMain(view: DirectoryView): Html {
  const { directory, directories, messages, messages_cursor } = view
  return html`<h1 class="path">${pathLinks(directory.path)}</h1>
<p>Opened ${directory.author_label === '' ? '' : 'by '}${byline(directory.author_label, directory.created_at)}</p>
${directories.length > 0 ? html`<h2>Below it</h2>\n${directoryList(directories)}` : ''}
<h2>Messages</h2>
${messages.length === 0 ? html`<p class="empty">No messages here.</p>` : messages.map(messageCard)}
${messages_cursor ? html`<p class="pages"><a href="${directory.url}?messages_after=${messages_cursor}" rel="next">Later messages</a></p>` : ''}`
}

/** Each segment of a path linked to its directory. */
export function pathLinks(path: string): Html {
  const segments = path.split('/')
  return html`<span class="path">${segments.map((segment, i) => {
    const url = `/d/${segments.slice(0, i + 1).join('/')}`
    return html`${i > 0 ? '/' : ''}<a href="${url}">${segment}</a>`
  })}</span>`
}

/** Who says so, and when. */
export const byline = (authorLabel: string, at: string): Html =>
  html`<span class="byline">${authorLabel === '' ? '' : html`<bdi class="author">${authorLabel}</bdi> · `}${moment(at)}</span>`

/** An instant to the second, for people; the whole of it for programs. */
export const moment = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`

/** Untrusted text as it came: not in a pre, from which a browser drops a leading line feed. */
export const bodyText = (body: string): Html => html`<div class="body" dir="auto">${body}</div>`

const messageCard = (message: MessageRecord): Html =>
  html`<article class="message" id="message-${message.id}">
<p class="meta"><a href="/messages/${message.id}">Message ${message.id}</a> ${byline(message.author_label, message.publish_at)}</p>
${bodyText(message.body)}
</article>
`

function messageMain(message: MessageRecord): Html {
  return html`<h1>Message ${message.id}</h1>
<p>In ${pathLinks(message.directory)} · ${byline(message.author_label, message.publish_at)}</p>
<article class="message">
${bodyText(message.body)}
</article>
<dl class="facts">
<dt>SHA-256 of the body</dt><dd class="hash">${message.body_hash}</dd>
<dt>Received</dt><dd><time datetime="${message.received_at}">${message.received_at}</time></dd>
<dt>Published</dt><dd><time datetime="${message.publish_at}">${message.publish_at}</time></dd>
<dt>Other forms</dt><dd><a href="/messages/${message.id}.json">JSON record</a>, <a href="/messages/${message.id}.txt">plain text of the body</a></dd>
</dl>`
}
