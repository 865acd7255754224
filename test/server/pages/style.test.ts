// The style sheet by itself: the contrast of its colours, and what it loads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const css = readFileSync(
  join(import.meta.dirname, '../../../server/pages/static/daysignal.css'),
  'utf8',
)

describe('colours', () => {
  const [light = '', dark = ''] = [...css.matchAll(/:root \{(.*?)\}/gs)].map(([, block]) => block)
  const colour = (block: string, name: string) => {
    const hex = block.match(new RegExp(`--${name}: #([0-9a-f]{6})`))?.[1]
    if (hex === undefined) throw new Error(`no --${name}`)
    return hex
  }

  /** Relative luminance of WCAG 2.2. */
  const luminance = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (a: string, b: string) => {
    const [dim = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
    return (bright + 0.05) / (dim + 0.05)
  }

  const TEXT = ['ink', 'secondary', 'link', 'link-visited', 'good', 'calm', 'warning', 'bad']

  for (const [scheme, block] of Object.entries({ light, dark }))
    test(`the colours have the contrast of WCAG AA for text, ${scheme}`, () => {
      for (const text of TEXT)
        for (const ground of ['ground', 'surface', 'sunken']) {
          const ratio = contrast(colour(block, text), colour(block, ground))
          expect(ratio, `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
        }
    })
})

test('the style sheet loads nothing from elsewhere and respects prefers-reduced-motion', () => {
  for (const [, target] of css.matchAll(/url\("?([^")]*)"?\)/g))
    expect(target).toMatch(/^\/static\//)
  expect(css).not.toMatch(/@import|https?:/)
  expect(css).toContain('prefers-reduced-motion: reduce')
})
