// The picture's colours: a few for the card, and the scale that the spectrogram is drawn in.

export const COLOUR = {
  background: '#0b0e14',
  rule: '#232b3a',
  primary: '#eef2f8',
  secondary: '#a3aebf',
  faint: '#6f7b8e',
  good: '#5fd7ae',
  calm: '#86b3ff',
  warning: '#f2bd62',
} as const

type Rgb = readonly [number, number, number]

/** 256 colours from silence to the loudest, as 8-bit sRGB. */
export const LOUDNESS_COLOURS: readonly Rgb[] = Array.from({ length: 256 }, (_, i) =>
  loudnessColour(i / 255),
)

/**
 * Lightness grows evenly, so that equal steps in decibels look equal; the hue turns from blue over
 * violet and red to yellow, with most chroma in the middle. Stated in OKLCH (Björn Ottosson, 2020).
 */
function loudnessColour(level: number): Rgb {
  const lightness = 0.2 + 0.77 * level
  const chroma = 0.02 + 0.15 * Math.sin(Math.PI * Math.min(1, level * 1.02)) ** 0.8
  const hue = ((270 + 190 * level) * Math.PI) / 180
  return fromOklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue))
}

/** OKLab to 8-bit sRGB, with what lies outside the gamut clipped. */
function fromOklab(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    to8Bit(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    to8Bit(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    to8Bit(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

/** The sRGB transfer curve. */
function to8Bit(linear: number): number {
  const part = Math.min(Math.max(linear, 0), 1)
  const curved = part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055
  return Math.round(255 * curved)
}
