// Draws the tone strip of a day and the bar below it, in the lighting states of the picture and the film.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { secondsAfter } from '../../archive/drawing/enough.ts'
import { STRIP, stripPaths, type ToneRow } from '../../archive/drawing/tone-strip.ts'
import { TRANSMISSION_SECONDS } from '../../protocol/index.ts'
import { BAR, LEFT, RIGHT, TONES_AREA, xAfter } from './layout.ts'
import { element, FAINT, text } from './svg.ts'

/** Height of a tone's mark [pixels]. */
const MARK = 6

/**
 * How the band is lit. `full`: every tone in its colour; `half`: those after `enough` at half opacity; `unheard`:
 * before anything is heard; `sounding`: every tone as it looks while it sounds.
 */
export type BandLight = 'full' | 'half' | 'unheard' | 'sounding'

/** Draws the strip and the bar. @param enough number of slots from which the day can be read */
export function toneBand(tones: ToneRow, enough: number, light: BandLight): string {
  return strip(tones, enough, light) + bar(enough, light) + tick(enough)
}

function strip(tones: ToneRow, enough: number, light: BandLight): string {
  if (light === 'unheard') return marks(tones, () => NIGHT.rule)
  if (light === 'sounding')
    return (
      element('rect', { ...TONES_AREA, fill: NIGHT.rule }) + marks(tones, () => NIGHT.ink, 2 * MARK)
    )
  const colour = (i: number) => NIGHT.tones[i]!
  if (light === 'full') return marks(tones, colour)
  const before = tones.map((tone, slot) => (slot < enough ? tone : null))
  const after = tones.map((tone, slot) => (slot < enough ? null : tone))
  return marks(before, colour) + element('g', { opacity: 0.5 }, marks(after, colour))
}

/** Draws the marks of the tones, scaled to the area of the strip. @param thickness of a mark [pixels] */
function marks(tones: ToneRow, colour: (i: number) => string, thickness = MARK): string {
  const { x, y, width, height } = TONES_AREA
  const scale = { x: width / STRIP.width, y: (height - MARK) / (STRIP.height - 1) }
  const paths = stripPaths(tones).map((d, i) =>
    d === '' ? '' : element('path', { d, stroke: colour(i) }),
  )
  const transform = `translate(${x} ${y + MARK / 2}) scale(${scale.x} ${scale.y})`
  return element('g', { transform, 'stroke-width': thickness / scale.y }, paths.join(''))
}

/** Draws the bar: bright up to `enough`, fainter over the slots that could be spared. */
function bar(enough: number, light: BandLight): string {
  const { y, height } = BAR
  const part = (left: number, right: number, fill: string) =>
    element('rect', { x: left, y, width: right - left, height, fill })
  if (light === 'unheard') return part(LEFT, RIGHT, NIGHT.unlit)
  const end = xAfter(enough)
  return part(LEFT, end, NIGHT.secondary) + part(end, RIGHT, FAINT)
}

const tick = (enough: number): string =>
  element('rect', { x: xAfter(enough) - 2, y: BAR.y - 8, width: 4, height: 22, fill: NIGHT.ink })

/** Draws the labels below the bar; that of the remaining slots only once the day is read. */
export function bandLabels(enough: number, isRead: boolean): string {
  const baseline = 1030
  const style = { size: 20, fill: NIGHT.secondary }
  const x = xAfter(enough)
  return (
    text(LEFT, baseline, isRead ? '0 s' : 'heard', style) +
    text(x - 12, baseline, `enough: ${secondsAfter(enough).toFixed(2)} s`, {
      ...style,
      fill: NIGHT.ink,
      anchor: 'end',
    }) +
    (isRead ? text(x + 12, baseline, 'the rest is spare: what noise may take', style) : '') +
    text(RIGHT, baseline, `${TRANSMISSION_SECONDS.toFixed(2)} s`, {
      ...style,
      fill: FAINT,
      anchor: 'end',
    })
  )
}
