// The style sheet of every page: one file, joined from those of style/ and the colours of both grounds.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NIGHT, PAPER, type Palette } from '../../archive/drawing/colours.ts'
import { type ServedFile, servedFile } from '../http/static.ts'

/** In the order in which they are joined: a later one may take back what an earlier one says. */
const PARTS = [
  'base',
  'frame',
  'words',
  'records',
  'forms',
  'charts',
  'board',
  'investigations',
  'days',
  'home',
  'decoder',
  'circumstances',
] as const

export const STYLE_SHEET_URL = '/static/daysignal.css'

/** The style sheet and its font, whose address contains its hash. */
export function styleFiles(): ServedFile[] {
  const font = readFileSync(join(import.meta.dirname, 'static/figures.woff2'))
  const version = createHash('sha256').update(font).digest('hex').slice(0, 16)
  const fontUrl = `/static/${version}/figures.woff2`
  return [servedFile(STYLE_SHEET_URL, styleSheet(fontUrl)), servedFile(fontUrl, font, 'immutable')]
}

/** @param fontUrl where the face of dates and large numbers is */
export function styleSheet(fontUrl: string): string {
  const parts = PARTS.map((name) =>
    readFileSync(join(import.meta.dirname, 'style', `${name}.css`), 'utf8'),
  )
  return compact([figures(fontUrl), grounds(), ...parts].join('\n'))
}

/** Never shown late, so that nothing moves when it arrives. */
const figures = (url: string): string =>
  `@font-face { font-family: "Day Figures"; src: url("${url}") format("woff2"); font-weight: 200; font-display: optional }`

/** Day is paper, a dark scheme is night, and a transmission is night in either; paper is printed on. */
const grounds = (): string => `
:root { color-scheme: light dark; ${declarations(PAPER)} }
.night { color-scheme: dark; ${declarations(NIGHT)} }
@media (prefers-color-scheme: dark) { :root { ${declarations(NIGHT)} } }
@media print { :root, .night { color-scheme: light; ${declarations(PAPER)} } }`

const declarations = ({ tones, ...others }: Palette): string =>
  [
    ...Object.entries(others).map(([name, colour]) => `--${name}: ${colour};`),
    ...tones.map((colour, i) => `--tone-${i}: ${colour};`),
  ].join(' ')

/** Without comments, and with white space only where it separates. */
const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(/([:,]) /g, '$1')
    .trim()
