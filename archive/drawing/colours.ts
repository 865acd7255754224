// The colours of pages, pictures and films: two grounds, and one colour for each counter on either.

/**
 * One colour a counter, in the order of the frame; OKLCH hues from 265 to 440. Lightness is 0.53 on
 * paper (contrast of at least 4.9 to its ground) and 0.74 at night (at least 7.8). No meaning rests
 * on them alone.
 */
const PAPER_TONES = [
  '#3d64c7',
  '#5e5bc5',
  '#7752bb',
  '#8b4aad',
  '#9b4299',
  '#a83c81',
  '#b13967',
  '#b5394a',
  '#b63d28',
  '#ab4b00',
  '#9b5a00',
  '#8d6300',
] as const

const NIGHT_TONES = [
  '#82a8fe',
  '#9ca0fe',
  '#b594fe',
  '#cd8af2',
  '#e183dc',
  '#ef7ec2',
  '#fa7ba6',
  '#fe7c88',
  '#fe8168',
  '#fa8746',
  '#ef921d',
  '#dc9e08',
] as const

/** Every colour by what it is for. */
export interface Palette {
  ground: string
  /** What lies on the ground: a cell, a record. */
  surface: string
  /** What is let into it: code, a note. */
  sunken: string
  ink: string
  secondary: string
  rule: string
  link: string
  visited: string
  good: string
  calm: string
  warning: string
  bad: string
  /** A block of the chord that stands for no digit. */
  unlit: string
  tones: readonly string[]
}

/** Day is paper. */
export const PAPER: Palette = {
  ground: '#f6f4ee',
  surface: '#fffdf8',
  sunken: '#ece8dd',
  ink: '#171c28',
  secondary: '#4b5568',
  rule: '#d8d2c3',
  link: '#1d46a6',
  visited: '#5b3b93',
  good: '#0b6848',
  calm: '#1d46a6',
  warning: '#865000',
  bad: '#a32238',
  unlit: '#e6e1d4',
  tones: PAPER_TONES,
}

/** Night is the instrument: dark pages, and every transmission. */
export const NIGHT: Palette = {
  ground: '#0a0d14',
  surface: '#131926',
  sunken: '#0f141f',
  ink: '#e8ecf4',
  secondary: '#a3aebf',
  rule: '#263043',
  link: '#9bbcff',
  visited: '#c6a8ff',
  good: '#5fd7ae',
  calm: '#86b3ff',
  warning: '#f2bd62',
  bad: '#ff8f9c',
  unlit: '#171e2c',
  tones: NIGHT_TONES,
}
