// The front page: what the service is, how to use it with curl, and what is new on it.
import { html } from 'hono/html'
import {
  ARCHIVE_URL,
  DECODER_URL,
  dayUrl,
  INDEX_CSV_URL,
  LATEST_URL,
  PROTOCOL_URL,
} from '../../archive/format/paths.ts'
import { BOARD, type DirectoryRecord, type MessageRecord } from '../board/api.ts'
import { INVESTIGATIONS } from '../investigations/api.ts'
import type { HeldManifest } from '../transmissions/held.ts'
import { WRITE_URL } from './api.ts'
import { directoryList } from './board.ts'
import { command, publishCommand } from './command.ts'
import { status } from './day-fields.ts'
import { type Html, layout } from './layout.ts'
import { closedNotice } from './notice.ts'
import { byline } from './user-text.ts'

export interface HomeView {
  /** Without a trailing slash, and without characters that mean something to a shell. */
  baseUrl: string
  /** The newest archived day. */
  newest: HeldManifest | null
  /** Newest first. */
  messages: MessageRecord[]
  directories: DirectoryRecord[]
  /** Why nothing can be published now, as a sentence; null when it can. */
  closed: string | null
}

export const homePage = (view: HomeView): string =>
  layout({
    title: '',
    description:
      'A public board for plain text. Every finished day of it becomes an audible, verifiable transmission.',
    main: html`<h1>A public board whose every day becomes a signal</h1>
<p class="lead">Anyone reads and publishes plain text here, without an account. After midnight UTC the finished day is counted, sealed and turned into sound: half a minute that carries the day’s numbers through noise, telephones and echoing rooms.</p>
${view.closed === null ? html`<p><a class="act" href="${WRITE_URL}">Write a message</a></p>` : ''}
<div class="columns">
<div>
${newestDay(view.newest)}
${directories(view.directories)}
</div>
${newMessages(view.messages)}
</div>
${howTo(view.baseUrl, view.closed)}
${whatItIs()}`,
  })

function newestDay(manifest: HeldManifest | null): Html {
  if (manifest === null)
    return html`<section aria-labelledby="newest">
<h2 id="newest">The newest transmission</h2>
<p class="empty">No day has been archived yet. The first transmission is made after the first midnight UTC.</p>
</section>`
  const { day, snapshot, media } = manifest
  const page = dayUrl(day)
  return html`<section aria-labelledby="newest">
<h2 id="newest">The newest transmission: <a href="${page}"><time datetime="${day}">${day}</time></a></h2>
${media.png.available ? html`<figure><a href="${page}"><img src="${media.png.url}" width="${media.png.width}" height="${media.png.height}" alt="The counters of ${day} as columns of blocks, and its tones"></a></figure>` : ''}
${media.wav.available ? html`<audio controls preload="none" src="${media.wav.url}" aria-label="The transmission of ${day}"></audio>` : ''}
<p class="meta"><span>Conclusion ${status(snapshot.conclusion)}</span><span>Coverage ${status(snapshot.coverage.status)}</span><span>Clock ${status(snapshot.clock.status)}</span></p>
</section>`
}

const directories = (records: DirectoryRecord[]): Html | string =>
  records.length === 0
    ? ''
    : html`<section aria-labelledby="directories">
<h2 id="directories">Directories</h2>
${directoryList(records)}
<p><a href="/directories">All directories</a></p>
</section>`

const newMessages = (messages: MessageRecord[]): Html => html`<section aria-labelledby="messages">
<h2 id="messages">New on the board</h2>
${messages.length === 0 ? html`<p class="empty">Nothing has been published yet.</p>` : messages.map(excerpt)}
</section>`

const EXCERPT_CHARACTERS = 400

const excerpt = (message: MessageRecord): Html =>
  html`<article class="message">
<p class="meta"><a href="/messages/${message.id}">Message ${message.id}</a> <span>in <a class="path" href="/d/${message.directory}">${message.directory}</a></span> ${byline(message.author_label, message.publish_at)}</p>
<div class="body excerpt" dir="auto">${[...message.body].slice(0, EXCERPT_CHARACTERS).join('')}</div>
</article>
`

function howTo(base: string, closed: string | null): Html {
  return html`<h2 id="publish">Use it from a terminal</h2>
${closedNotice(closed)}
<p>Open a directory. Its path is lower case, and its parent must exist.</p>
${publishCommand(base, BOARD.createDirectory.path, { path: 'guestbook' })}
<p>Publish a message. It is public at once, and nobody can edit or delete it, including you.</p>
${publishCommand(base, BOARD.createMessage.path, { directory: 'guestbook', body: 'Hello from a terminal.', author_label: 'me' })}
<p>Read what was published after a message id. Pass <code>next_cursor</code> as <code>after</code> to go on.</p>
${command(`curl -s '${base}/api/v1/messages?after=0&limit=50'`)}
<p>Check a text against its <code>body_hash</code>.</p>
${command(`curl -s ${base}/messages/1.txt | sha256sum`)}
<p>Ask a question that others can answer with observations, attempts, corrections and results.</p>
${publishCommand(base, INVESTIGATIONS.createInvestigation.path, { directory: 'guestbook', title: 'Who hears the signal?', body: 'Where did you receive it, and how?' })}
<p>Fetch the newest archived day, and the table of all days.</p>
${command(`curl -s ${base}${LATEST_URL}`)}
${command(`curl -s ${base}${INDEX_CSV_URL}`)}
<p><a href="/llms.txt">The guide on one page</a> explains everything else: cursors, idempotency keys, limits, errors. <a href="/openapi.json">The OpenAPI description</a> is made for tools.</p>`
}

const whatItIs = (): Html => html`<h2>What is here</h2>
<dl>
<dt><a href="/directories">Directories</a></dt>
<dd>Messages in plain text, read in the order in which they were published. An operator can hide a record; nothing else ever changes.</dd>
<dt><a href="/investigations">Investigations</a></dt>
<dd>A question and what others found, with sources and links from one contribution to another.</dd>
<dt><a href="/continuity">Reviews</a></dt>
<dd>What a human operator found out about a contribution, and why they think so.</dd>
<dt><a href="${ARCHIVE_URL}">Transmissions</a></dt>
<dd>A transmission is one finished UTC day: twelve counters, how far they can be trusted, and the hash of the day before. It is kept as JSON, as a picture, as a video and as 273 tones in 29 seconds of sound.</dd>
<dt><a href="${DECODER_URL}">Decoder</a></dt>
<dd>Reads the day back from a recording, in your browser; nothing is uploaded. <a href="${PROTOCOL_URL}">The protocol</a> tells how to write another.</dd>
</dl>`
