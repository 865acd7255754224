// The pages of the board: directories, one directory, one message.
import { html } from 'hono/html'
import { dayUrl, messageProofUrl } from '../../archive/format/paths.ts'
import type { DirectoryRecord, MessageRecord } from '../board/api.ts'
import type { BoardPages, DirectoriesView, DirectoryView, MessageView } from '../board/routes.ts'
import { directoryForm, FORM_ID, messageForm, scriptOf } from './forms.ts'
import { type Html, layout } from './layout.ts'
import { closedNotice } from './notice.ts'
import { corrections, NO_REFERENCES, referredToBy, refersTo } from './references.ts'
import { bodyText, byline, clampedBody } from './user-text.ts'

/** @param formScript the address of the script behind the forms */
export const boardPages = (formScript: string): BoardPages => ({
  directories: (view) =>
    layout({
      title: 'Directories',
      section: 'directories',
      script: scriptOf(view, formScript),
      main: directoriesMain(view),
    }),
  directory: (view) =>
    layout({
      title: view.directory.path,
      section: 'directories',
      script: scriptOf(view, formScript),
      main: directoryMain(view),
    }),
  message: (view) =>
    layout({
      title: `Message ${view.message.id}`,
      section: view.investigation_id === null ? 'directories' : 'investigations',
      main: messageMain(view),
    }),
})

function directoriesMain(view: DirectoriesView): Html {
  const { directories, next_cursor, has_more, closed } = view
  const next = `/directories?after=${encodeURIComponent(next_cursor)}`
  return html`<h1>Directories</h1>
<p>Messages are published into directories. Anyone may ${closed === null ? html`<a href="#${FORM_ID}">open one</a>` : 'open one'}, and publish into any of them.</p>
${closedNotice(closed)}
${directories.length === 0 ? html`<p class="empty">No directories here.${next_cursor && html` <a href="/directories">The first ones</a>`}</p>` : directoryList(directories)}
${has_more ? html`<p class="pages"><a href="${next}" rel="next">Further directories</a></p>` : ''}
${directoryForm(view)}`
}

export const directoryList = (directories: DirectoryRecord[]): Html =>
  html`<ul class="directories">${directories.map(
    (directory) =>
      html`<li><a class="path" href="${directory.url}">${directory.path}</a> ${byline(directory.author_label, directory.created_at)}</li>\n`,
  )}</ul>`

function directoryMain(view: DirectoryView): Html {
  const { directory, directories, more_directories, messages, messages_cursor } = view
  const { url } = directory
  const below = `${url}?after=${encodeURIComponent(view.next_cursor)}`
  return html`<h1>${pathLinks(directory.path)}</h1>
<p class="meta">Opened${directory.author_label && ' by'} ${byline(directory.author_label, directory.created_at)}</p>
${view.closed === null ? html`<p><a class="act" href="#${FORM_ID}">Write here</a></p>` : closedNotice(view.closed)}
${directories.length > 0 ? html`<h2>Directories below it</h2>\n${directoryList(directories)}` : ''}
${more_directories ? html`<p class="pages"><a href="${below}" rel="next">Further directories below it</a></p>` : ''}
<h2>Messages</h2>
${messages.length === 0 ? html`<p class="empty">No messages here.</p>` : messages.map(messageCard)}
${messages_cursor ? html`<p class="pages"><a href="${url}?messages_after=${messages_cursor}" rel="next">Later messages</a></p>` : ''}
${messageForm(view, directory.path)}`
}

/** Each segment of a path linked to its directory. */
export function pathLinks(path: string): Html {
  const segments = path.split('/')
  return html`<span class="path">${segments.map((segment, i) => {
    const url = `/d/${segments.slice(0, i + 1).join('/')}`
    return html`${i > 0 ? '/' : ''}<a href="${url}">${segment}</a>`
  })}</span>`
}

const messageCard = (message: MessageRecord): Html =>
  html`<article class="message" id="message-${message.id}">
<p class="meta"><a href="/messages/${message.id}">Message ${message.id}</a> ${byline(message.author_label, message.publish_at)}</p>
${clampedBody(message.body, `/messages/${message.id}`)}
</article>
`

const messageUrl = (id: bigint): string => `/messages/${id}`

function messageMain({ message, investigation_id, references, is_provable }: MessageView): Html {
  const { id, directory, author_label, received_at, publish_at } = message
  const inInvestigation = `/investigations/${investigation_id}?after=${id - 1n}#message-${id}`
  const { to, from } = references ?? NO_REFERENCES
  return html`<h1>Message ${id}</h1>
<p class="meta"><span>In ${pathLinks(directory)}</span> ${byline(author_label, publish_at)}</p>
${investigation_id === null ? '' : html`<p>Part of <a href="${inInvestigation}">investigation ${investigation_id}</a>, which shows its sources and review.</p>`}
<article class="message">
${references ? corrections(references, messageUrl) : ''}
${bodyText(message.body)}
</article>
${to.length > 0 && references ? html`<section aria-labelledby="refers-to"><h2 id="refers-to">Refers to</h2>\n${refersTo(references, messageUrl)}</section>\n` : ''}${from.length > 0 && references ? html`<section aria-labelledby="referred-to-by"><h2 id="referred-to-by">Referred to by</h2>\n${referredToBy(references, messageUrl)}</section>\n` : ''}<dl class="facts">
<dt>SHA-256 of the body</dt><dd class="hash">${message.body_hash}</dd>
<dt>Received</dt><dd><time datetime="${received_at}">${received_at}</time></dd>
<dt>Published</dt><dd><time datetime="${publish_at}">${publish_at}</time></dd>
<dt>Other forms</dt><dd><a href="/messages/${id}.json">JSON record</a>, <a href="/messages/${id}.txt">plain text of the body</a></dd>
${
  is_provable
    ? html`<dt>Prove it</dt><dd><a href="${messageProofUrl(id)}">Proof</a> that it is among the messages of <a href="${dayUrl(publish_at.slice(0, 10))}">its day</a>, for <code>npm run verify -- --proof</code></dd>
`
    : ''
}</dl>`
}
