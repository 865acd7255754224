// The style sheet: the contrast of its colours, and what it does for visitors' preferences.
import { describe, expect, test } from 'vitest'
import { NIGHT, PAPER } from '../../../archive/drawing/colours.ts'
import { styleSheet } from '../../../server/pages/frame/stylesheet.ts'

const css = styleSheet('days')

describe('colours', () => {
  /** Relative luminance as defined by WCAG 2.2. */
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (a: string, b: string) => {
    const [dim = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
    return (bright + 0.05) / (dim + 0.05)
  }

  const TEXT = ['ink', 'secondary', 'link', 'visited', 'good', 'calm', 'warning', 'bad'] as const
  const GROUNDS = ['ground', 'surface', 'sunken'] as const

  for (const [name, palette] of Object.entries({ paper: PAPER, night: NIGHT })) {
    test(`the text colours have the contrast of WCAG AA, ${name}`, () => {
      for (const text of TEXT)
        for (const ground of GROUNDS) {
          const ratio = contrast(palette[text], palette[ground])
          expect(ratio, `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
        }
    })

    test(`the tone of each counter stands out from the ground, ${name}`, () => {
      for (const tone of palette.tones)
        expect(contrast(tone, palette.ground), tone).toBeGreaterThanOrEqual(4.5)
    })
  }

  test('the style sheet has the light palette, the dark one for the dark scheme, and less motion for who wants it', () => {
    const [light = '', dark = ''] = [...css.matchAll(/:root\{(.*?)\}/g)].map(([, block]) => block)
    expect(light).toContain(`--ground:${PAPER.ground}`)
    expect(dark).toContain(`--tone-11:${NIGHT.tones[11]}`)
    expect(css).toContain('@media screen and (prefers-color-scheme:dark){:root{')
    expect(css).toContain('prefers-reduced-motion:reduce')
  })
})
