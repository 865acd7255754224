// The signal protocol for people and implementers: SPEC.md as a page and as a file, and the test vectors.
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { html } from 'hono/html'
import { ARCHIVE_URL, DECODER_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { type ServedFile, servedFile, servedFolder } from '../http/static.ts'
import { SIGNAL_PAGES } from './api.ts'
import { megabytes } from './day-player.ts'
import { type Html, layout } from './layout.ts'
import type { Chapter } from './markdown.ts'
import { protocolFigures } from './protocol-figures.ts'

const FOLDER = join(import.meta.dirname, '../../protocol')

export function protocolFiles(): ServedFile[] {
  const readSpec = () => readFile(join(FOLDER, 'SPEC.md'), 'utf8')
  const vectors = servedFolder(`${PROTOCOL_URL}/vectors`, join(FOLDER, 'vectors'), [
    '.json',
    '.md',
    '.wav',
  ])
  const { path, cache } = SIGNAL_PAGES.showProtocol
  const makePage = async () => {
    const { chapters, renderMarkdown } = await import('./markdown.ts')
    const text = await readSpec()
    const start = text.indexOf('\n## ') + 1
    const render = (part: string) => renderMarkdown(part, `${PROTOCOL_URL}/`)
    return protocolPage({
      introduction: render(text.slice(0, start)),
      body: render(text.slice(start)),
      chapters: chapters(text),
      vectors: await itemsOf(vectors),
    })
  }
  return [
    servedFile(path, makePage, cache, '.html'),
    servedFile(`${PROTOCOL_URL}/SPEC.md`, readSpec),
    ...vectors,
  ]
}

interface ProtocolView {
  /** All before the first chapter. */
  introduction: Html
  body: Html
  chapters: Chapter[]
  vectors: Html[]
}

const OWN_CHAPTERS: Chapter[] = [{ id: 'vectors', title: 'Test vectors' }]

const protocolPage = ({ introduction, body, chapters, vectors }: ProtocolView): string =>
  layout({
    title: 'Signal protocol',
    section: 'transmissions',
    sheet: 'signal',
    description: 'How a day becomes sound, complete enough to write a decoder from.',
    main: html`<div class="with-contents">
<div class="prose">
${introduction}
</div>
<nav class="contents" aria-label="Contents">
<ol>${[...chapters, ...OWN_CHAPTERS].map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ol>
<p class="links"><a href="${PROTOCOL_URL}/SPEC.md">As Markdown</a> <a href="${DECODER_URL}">Decoder</a> <a href="${ARCHIVE_URL}">Days</a></p>
</nav>
<div class="prose">
${protocolFigures()}
${body}
<h2 id="vectors">Test vectors</h2>
<p>The recordings are for decoders: load one, and open it in <a href="${DECODER_URL}">the decoder</a>.</p>
<ul class="plain vectors">${vectors}</ul>
</div>
</div>`,
  })

const itemsOf = (vectors: readonly ServedFile[]): Promise<Html[]> =>
  Promise.all(
    vectors.map(async ({ path }) => {
      const name = basename(path)
      const { size } = await stat(join(FOLDER, 'vectors', name))
      return html`<li><a href="${path}">${name}</a> <span class="hint">${megabytes(size)}</span></li>\n`
    }),
  )
