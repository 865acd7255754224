// The signal protocol for people and implementers: SPEC.md as a page and as a file, and the test vectors.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'hono/html'
import { ARCHIVE_URL, DECODER_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { readFolder, type ServedFile, servedFile } from '../http/static.ts'
import { SIGNAL_PAGES } from './api.ts'
import { type Html, layout } from './layout.ts'
import { renderMarkdown } from './markdown.ts'

const FOLDER = join(import.meta.dirname, '../../protocol')

/** Reads them once, at startup. */
export function protocolFiles(): ServedFile[] {
  const spec = readFileSync(join(FOLDER, 'SPEC.md'), 'utf8')
  const vectors = [...readFolder(join(FOLDER, 'vectors'), ['.json', '.md', '.wav'])].map(
    ([name, bytes]) => servedFile(`${PROTOCOL_URL}/vectors/${name}`, bytes),
  )
  const { path, cache } = SIGNAL_PAGES.showProtocol
  const page = servedFile(path, protocolPage(spec, vectors), cache, '.html')
  return [page, servedFile(`${PROTOCOL_URL}/SPEC.md`, spec), ...vectors]
}

function protocolPage(spec: string, vectors: ServedFile[]): string {
  return layout({
    title: 'Signal protocol',
    section: 'transmissions',
    description: 'How a day becomes sound, complete enough to write a decoder from.',
    main: html`<p class="meta"><a href="${PROTOCOL_URL}/SPEC.md">This text as Markdown</a> <a href="#vectors">Test vectors</a> <a href="${DECODER_URL}">Decode a recording</a> <a href="${ARCHIVE_URL}">Transmissions</a></p>
${renderMarkdown(spec, `${PROTOCOL_URL}/`)}
<h2 id="vectors">Test vectors</h2>
<ul class="plain">${vectors.map(vectorItem)}</ul>`,
  })
}

const vectorItem = ({ path, bytes }: ServedFile): Html =>
  html`<li><a href="${path}">${path.slice(path.lastIndexOf('/') + 1)}</a> <span class="meta">${bytes.length} bytes</span></li>\n`
