// The SVG primitives that the picture is drawn with.
import { NIGHT } from '../../archive/drawing/colours.ts'

/** The colour of the least important text; its contrast to the night ground is 4.6. */
export const FAINT = '#6f7b8e'

/** Mean width of a character of the condensed face [em]. */
export const CONDENSED_EM = 0.53

export interface TextStyle {
  size: number
  fill?: string
  weight?: 200 | 400 | 700
  anchor?: 'start' | 'end'
  /** Letter spacing [pixels]. */
  spacing?: number
  condensed?: boolean
}

/** Draws a line of text whose baseline starts (or, by `anchor`, ends) at x, y. */
export function text(x: number, y: number, content: string, style: TextStyle): string {
  const { size, fill = NIGHT.ink, weight = 400, anchor = 'start' } = style
  const { spacing = 0, condensed = false } = style
  return element(
    'text',
    {
      x,
      y,
      'font-family': condensed ? 'DejaVu Sans Condensed' : 'DejaVu Sans',
      'font-size': size,
      'font-weight': weight,
      'letter-spacing': spacing,
      'text-anchor': anchor,
      fill,
    },
    escaped(content),
  )
}

/** Builds an element; `content` is SVG and is not escaped. */
export function element(
  name: string,
  attributes: Record<string, string | number>,
  content = '',
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  return `<${name}${written.join('')}>${content}</${name}>`
}

export function svgFile(width: number, height: number, content: string): Buffer {
  return Buffer.from(
    element(
      'svg',
      { xmlns: 'http://www.w3.org/2000/svg', width, height, 'xml:lang': 'en' },
      content,
    ),
  )
}

/** Escapes text for use between tags. */
export function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
