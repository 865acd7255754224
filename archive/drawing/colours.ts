// The light and dark palettes of pages, pictures and films, with one colour for each counter.

/**
 * One colour for each counter, in frame order: OKLCH hues from 265 to 440 degrees. Lightness is 0.53
 * on paper (contrast at least 4.9 against the ground) and 0.74 at night (at least 7.8). No meaning is
 * conveyed by colour alone.
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

/** The colours by role. */
export interface Palette {
  ground: string
  /** Raised above the ground: a cell, a record. */
  surface: string
  /** Recessed into the ground: code, a note. */
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
  /** A block of the chord's grid above the last binary digit. */
  unlit: string
  tones: readonly string[]
}

/** The light palette of pages. */
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

/** The palette of dark pages, and of every picture and film. */
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
