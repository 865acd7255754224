// A day as a picture: its date, flags and counters, and its own transmission as a spectrogram.
import { PNG } from 'pngjs'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { axes, gridLines } from './axes.ts'
import { counterGrid } from './counter-grid.ts'
import { loadSharp } from './font.ts'
import { header } from './header.ts'
import { MARGIN, PICTURE, PLOT } from './layout.ts'
import { COLOUR, LOUDNESS_COLOURS } from './palette.ts'
import type { Rendering } from './rendering.ts'
import { spectrogram } from './spectrogram.ts'
import { element, svgFile, text } from './svg.ts'

/**
 * The picture of a day.
 * @param samples its transmission at 48 kHz. The bytes depend on nothing else than these and the
 *   snapshot, of which `generated_at` does not count (FORMAT.md 14)
 */
export async function renderPicture(snapshot: Snapshot, samples: Int16Array): Promise<Rendering> {
  const sharp = await loadSharp()
  const bytes = await sharp(svgFile(PICTURE.width, PICTURE.height, card(snapshot)))
    .composite([
      { input: spectrogramPng(samples), left: PLOT.x, top: PLOT.y },
      {
        input: svgFile(PLOT.width, PLOT.height, gridLines()),
        left: PLOT.x,
        top: PLOT.y,
      },
    ])
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer()
  return { bytes, properties: { ...PICTURE } }
}

/** Everything but the spectrogram itself. */
function card(snapshot: Snapshot): string {
  const { width, height } = PICTURE
  const rule = (y: number) =>
    element('rect', { x: MARGIN, y, width: width - 2 * MARGIN, height: 1, fill: COLOUR.rule })
  return (
    element('rect', { width, height, fill: COLOUR.background }) +
    header(snapshot) +
    rule(238) +
    counterGrid(snapshot.counters) +
    rule(540) +
    axes() +
    footer(snapshot)
  )
}

/** The day's place in the chain of snapshots, and what the sound is. */
function footer({ previous, protocol_version }: Snapshot): string {
  const link =
    previous === null
      ? 'first day of its archive'
      : `previous ${previous.day} · sha256 ${previous.sha256.slice(0, 16)}…`
  const style = { size: 18, fill: COLOUR.faint }
  return (
    text(MARGIN, 1058, link, style) +
    text(PICTURE.width - MARGIN, 1058, `protocol V${protocol_version} · UTC day`, {
      ...style,
      anchor: 'end',
    })
  )
}

/** The spectrogram as a picture of the plot's size. */
function spectrogramPng(samples: Int16Array): Buffer {
  const picture = new PNG({ width: PLOT.width, height: PLOT.height })
  for (const [i, level] of spectrogram(samples).entries()) {
    const [red, green, blue] = LOUDNESS_COLOURS[Math.round(level * 255)]!
    picture.data.set([red, green, blue, 255], i * 4)
  }
  return PNG.sync.write(picture, { deflateLevel: 1 })
}
