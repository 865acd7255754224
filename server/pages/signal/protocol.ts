// Renders the page of the signal protocol from SPEC.md, and serves SPEC.md and the test vectors as files.
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ARCHIVE_URL, DECODER_URL, PROTOCOL_URL } from '../../../archive/format/paths.ts'
import { type ServedFile, servedFile, servedFolder } from '../../http/static.ts'
import { megabytes } from '../days/day-player.ts'
import { layout, type Site } from '../frame/layout.ts'
import { type Html, html } from '../parts/html.ts'
import { protocolFigures } from './protocol-figures.ts'

const FOLDER = join(import.meta.dirname, '../../../protocol')
export const VECTORS_FOLDER = join(FOLDER, 'vectors')

const readSpec = () => readFile(join(FOLDER, 'SPEC.md'), 'utf8')

const vectorFiles = (): ServedFile[] =>
  servedFolder(`${PROTOCOL_URL}/vectors`, VECTORS_FOLDER, ['.json', '.md', '.wav'])

export const protocolFiles = (): ServedFile[] => [
  servedFile(`${PROTOCOL_URL}/SPEC.md`, readSpec),
  ...vectorFiles(),
]

export async function protocolPage(site: Site): Promise<string> {
  const { renderMarkdown } = await import('./markdown.ts')
  const text = await readSpec()
  const start = text.indexOf('\n## ') + 1
  const summary = renderMarkdown(text.slice(0, start), `${PROTOCOL_URL}/`)
  const rest = renderMarkdown(text.slice(start), `${PROTOCOL_URL}/`)
  const contents = [...rest.chapters, { id: 'vectors', title: 'Downloads' }]
  return layout(site, {
    title: 'Signal protocol',
    section: 'transmissions',
    sheet: 'signal',
    description: 'How a day becomes sound, in enough detail to write a decoder.',
    main: html`<div class="with-contents">
<div class="prose">
${summary.html}
</div>
<nav class="contents" id="contents" aria-label="Contents">
<ol>${contents.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ol>
<p class="links">
  <a href="${PROTOCOL_URL}/SPEC.md">As Markdown</a>
  <a href="${DECODER_URL}">Decoder</a>
  <a href="${ARCHIVE_URL}">Days</a>
</p>
</nav>
<div class="prose">
${protocolFigures()}
${rest.html}
<h2 id="vectors">Downloads</h2>
<p>
  These are the vectors of section 13. The recordings test decoders.
  <a href="${PROTOCOL_URL}/vectors/recordings.json">recordings.json</a> states what each one carries,
  or why nothing can be decoded from it.
</p>
<ul class="plain vectors">${await Promise.all(vectorFiles().map(vectorItem))}</ul>
</div>
<p class="to-contents"><a href="#contents">Contents</a></p>
</div>`,
  })
}

async function vectorItem({ path }: ServedFile): Promise<Html> {
  const name = basename(path)
  const { size } = await stat(join(VECTORS_FOLDER, name))
  const decoderLink = name.endsWith('.wav')
    ? html` <a href="${DECODER_URL}?vector=${name}" aria-label="Open in the decoder: ${name}">Open in the decoder</a>`
    : ''
  return html`<li><a href="${path}">${name}</a> <span class="hint">${megabytes(size)}</span>${decoderLink}</li>\n`
}
