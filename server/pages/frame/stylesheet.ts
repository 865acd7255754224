// Composes the style sheets from the files of style/ and the colours of both palettes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NIGHT, PAPER, type Palette } from '../../../archive/drawing/colours.ts'
import { hashedFile, type ServedFile } from '../../http/static.ts'

/** The parts that all pages share come first; the overrides for print and forced colours come last. */
const SHARED = ['base', 'commands', 'frame', 'words', 'records', 'charts']
const LAST = ['circumstances']

/** Each page loads one sheet. `days` is for a day and the front page, `signal` for the protocol and the decoder. */
const SHEETS = {
  board: [...SHARED, 'forms', 'board', 'investigations', ...LAST],
  calendar: [...SHARED, 'calendar', ...LAST],
  month: [...SHARED, 'calendar', 'day', ...LAST],
  days: [...SHARED, 'calendar', 'day', 'home', ...LAST],
  signal: [...SHARED, 'day', 'home', 'protocol', 'decoder', ...LAST],
} as const

export type SheetName = keyof typeof SHEETS

/** The font for dates and large numbers. */
const FONT = hashedFile(
  'figures.woff2',
  readFileSync(join(import.meta.dirname, '../static/figures.woff2')),
)

export function styleSheet(name: SheetName): string {
  const parts = SHEETS[name].map((part) =>
    readFileSync(join(import.meta.dirname, '../style', `${part}.css`), 'utf8'),
  )
  return compact([figures(FONT.path), grounds(), ...parts].join('\n'))
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

const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(/([:,]) /g, '$1')
    .trim()

const FILES = new Map<SheetName, ServedFile>(
  (Object.keys(SHEETS) as SheetName[]).map((name) => [
    name,
    hashedFile(`${name}.css`, styleSheet(name)),
  ]),
)

export const styleSheetUrl = (name: SheetName): string => (FILES.get(name) as ServedFile).path

export const styleFiles = (): ServedFile[] => [...FILES.values(), FONT]
