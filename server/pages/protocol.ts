// The signal protocol for people and implementers: SPEC.md as a page and as a file, and the test vectors.
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { html } from 'hono/html'
import { ARCHIVE_URL, DECODER_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { type ServedFile, servedFile, servedFolder } from '../http/static.ts'
import { SIGNAL_PAGES } from './api.ts'
import { type Html, layout } from './layout.ts'

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
    const { renderMarkdown } = await import('./markdown.ts')
    const spec = renderMarkdown(await readSpec(), `${PROTOCOL_URL}/`)
    return protocolPage(spec, await itemsOf(vectors))
  }
  return [
    servedFile(path, makePage, cache, '.html'),
    servedFile(`${PROTOCOL_URL}/SPEC.md`, readSpec),
    ...vectors,
  ]
}

function protocolPage(spec: Html, vectors: Html[]): string {
  return layout({
    title: 'Signal protocol',
    section: 'transmissions',
    description: 'How a day becomes sound, complete enough to write a decoder from.',
    main: html`<p class="meta"><a href="${PROTOCOL_URL}/SPEC.md">This text as Markdown</a> <a href="#vectors">Test vectors</a> <a href="${DECODER_URL}">Decode a recording</a> <a href="${ARCHIVE_URL}">Transmissions</a></p>
${spec}
<h2 id="vectors">Test vectors</h2>
<ul class="plain">${vectors}</ul>`,
  })
}

const itemsOf = (vectors: readonly ServedFile[]): Promise<Html[]> =>
  Promise.all(
    vectors.map(async ({ path }) => {
      const name = basename(path)
      const { size } = await stat(join(FOLDER, 'vectors', name))
      return html`<li><a href="${path}">${name}</a> <span class="meta">${size} bytes</span></li>\n`
    }),
  )
