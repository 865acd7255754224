// The style sheets: each one file, joined from those of style/ and the colours of both grounds.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NIGHT, PAPER, type Palette } from '../../archive/drawing/colours.ts'
import { type ServedFile, servedFile } from '../http/static.ts'

/** What all pages share comes first; what print and forced colours take back comes last. */
const SHARED = ['base', 'commands', 'frame', 'words', 'records', 'charts']
const LAST = ['circumstances']

/** Each page loads one: that of the board, of the calendar, of a day and the front page, or of the signal. */
const SHEETS = {
  board: [...SHARED, 'forms', 'board', 'investigations', ...LAST],
  calendar: [...SHARED, 'calendar', ...LAST],
  days: [...SHARED, 'calendar', 'day', 'home', ...LAST],
  signal: [...SHARED, 'day', 'home', 'protocol', 'decoder', ...LAST],
} as const

export type SheetName = keyof typeof SHEETS

export const styleSheetUrl = (name: SheetName): string => `/static/${name}.css`

/** The style sheets and their font, whose address contains its hash. */
export function styleFiles(): ServedFile[] {
  const font = readFileSync(join(import.meta.dirname, 'static/figures.woff2'))
  const version = createHash('sha256').update(font).digest('hex').slice(0, 16)
  const fontUrl = `/static/${version}/figures.woff2`
  const sheets = (Object.keys(SHEETS) as SheetName[]).map((name) =>
    servedFile(styleSheetUrl(name), styleSheet(name, fontUrl)),
  )
  return [...sheets, servedFile(fontUrl, font, 'immutable')]
}

/** @param fontUrl where the face of dates and large numbers is */
export function styleSheet(name: SheetName, fontUrl: string): string {
  const parts = SHEETS[name].map((part) =>
    readFileSync(join(import.meta.dirname, 'style', `${part}.css`), 'utf8'),
  )
  return compact([figures(fontUrl), grounds(), ...parts].join('\n'))
}

/** Never shown late, so that nothing moves when it arrives. */
const figures = (url: string): string =>
  `@font-face { font-family: "Day Figures"; src: url("${url}") format("woff2"); font-weight: 200; font-display: optional }`

/** Day is paper, a dark scheme is night, and a transmission is night in either, unless the reader's own colours are forced on it; paper is printed on. */
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

/** Without comments, and with white space only where it separates. */
const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(/([:,]) /g, '$1')
    .trim()
