// Composes the style sheets from the files of style/ and the colours of both palettes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NIGHT, PAPER, type Palette } from '../../archive/drawing/colours.ts'
import { type ServedFile, servedFile } from '../http/static.ts'

/** The parts that all pages share come first; the overrides for print and forced colours come last. */
const SHARED = ['base', 'commands', 'frame', 'words', 'records', 'charts']
const LAST = ['circumstances']

/** Each page loads one sheet. `days` is for a day and the front page, `signal` for the protocol and the decoder. */
const SHEETS = {
  board: [...SHARED, 'forms', 'board', 'investigations', ...LAST],
  calendar: [...SHARED, 'calendar', ...LAST],
  days: [...SHARED, 'calendar', 'day', 'home', ...LAST],
  signal: [...SHARED, 'day', 'home', 'protocol', 'decoder', ...LAST],
} as const

export type SheetName = keyof typeof SHEETS

export const styleSheetUrl = (name: SheetName): string => `/static/${name}.css`

/** The style sheets and their font. The font's URL contains its hash. */
export function styleFiles(): ServedFile[] {
  const font = readFileSync(join(import.meta.dirname, 'static/figures.woff2'))
  const version = createHash('sha256').update(font).digest('hex').slice(0, 16)
  const fontUrl = `/static/${version}/figures.woff2`
  const sheets = (Object.keys(SHEETS) as SheetName[]).map((name) =>
    servedFile(styleSheetUrl(name), styleSheet(name, fontUrl)),
  )
  return [...sheets, servedFile(fontUrl, font, 'immutable')]
}

/** @param fontUrl the URL of the font for dates and large numbers */
export function styleSheet(name: SheetName, fontUrl: string): string {
  const parts = SHEETS[name].map((part) =>
    readFileSync(join(import.meta.dirname, 'style', `${part}.css`), 'utf8'),
  )
  return compact([figures(fontUrl), grounds(), ...parts].join('\n'))
}

/** `font-display: optional`: a font that arrives late is not used, so that nothing moves. */
const figures = (url: string): string =>
  `@font-face { font-family: "Day Figures"; src: url("${url}") format("woff2"); font-weight: 200; font-display: optional }`

/**
 * The light scheme is PAPER and the dark scheme NIGHT. A transmission (.night) is NIGHT in both, except with forced
 * colours. Print is always PAPER.
 */
const grounds = (): string => `
:root { color-scheme: light dark; ${declarations(PAPER)} }
@media screen and (forced-colors: none) { .night { color-scheme: dark; ${declarations(NIGHT)} } }
@media screen and (prefers-color-scheme: dark) { :root { ${declarations(NIGHT)} } }
@media print { :root { color-scheme: light } }`

const declarations = ({ tones, ...others }: Palette): string =>
  [
    ...Object.entries(others).map(([name, colour]) => `--${name}: ${colour};`),
    ...tones.map((colour, i) => `--tone-${i}: ${colour};`),
  ].join(' ')

/** Removes comments and redundant white space. */
const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(/([:,]) /g, '$1')
    .trim()
