// Draws the tone strip of a day and the bar below it, in the lighting states of the picture and the film.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { secondsAfter } from '../../archive/drawing/enough.ts'
import { STRIP, stripPath, type ToneRow } from '../../archive/drawing/tone-strip.ts'
import { TRANSMISSION_SECONDS } from '../../protocol/index.ts'
import { BAR, LEFT, RIGHT, SMALLEST_TEXT, TONES_AREA, xAfter } from './layout.ts'
import { CONDENSED_EM, element, FAINT, text } from './svg.ts'

/** Height of a tone's mark [pixels]. */
const MARK = 6

/**
 * How the band is lit. `full`: every tone bright; `half`: those after `enough` at half opacity; `unheard`:
 * before anything is heard; `sounding`: every tone as it looks while it sounds.
 */
export type BandLight = 'full' | 'half' | 'unheard' | 'sounding'

/** Draws the strip and the bar. @param enough number of slots from which the day can be read */
export function toneBand(tones: ToneRow, enough: number, light: BandLight): string {
  return strip(tones, enough, light) + bar(enough, light) + tick(enough)
}

function strip(tones: ToneRow, enough: number, light: BandLight): string {
  if (light === 'unheard') return marks(tones, NIGHT.rule)
  if (light === 'sounding')
    return element('rect', { ...TONES_AREA, fill: NIGHT.rule }) + marks(tones, NIGHT.ink, 2 * MARK)
  if (light === 'full') return marks(tones)
  const before = tones.map((tone, slot) => (slot < enough ? tone : null))
  const after = tones.map((tone, slot) => (slot < enough ? null : tone))
  return marks(before) + element('g', { opacity: 0.5 }, marks(after))
}

/** Draws the marks of the tones, scaled to the area of the strip. @param thickness of a mark [pixels] */
function marks(tones: ToneRow, stroke: string = NIGHT.ink, thickness = MARK): string {
  const { x, y, ...area } = TONES_AREA
  const scale = { x: area.width / STRIP.width, y: (area.height - MARK) / (STRIP.height - 1) }
  const transform = `translate(${x} ${y + MARK / 2}) scale(${scale.x} ${scale.y})`
  const width = thickness / scale.y
  return element('path', { d: stripPath(tones), stroke, 'stroke-width': width, transform })
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

/** Baseline of the labels, and the space around the one at `enough` [pixels]. */
const LABELS = 990
const LABEL_GAP = 14

/** Draws the labels below the bar, as far as there is room for them. */
export function bandLabels(enough: number): string {
  const style = { size: SMALLEST_TEXT, fill: NIGHT.secondary, condensed: true }
  const x = xAfter(enough)
  const readable = `readable from here (${secondsAfter(enough).toFixed(1)} s)`
  const end = `${TRANSMISSION_SECONDS.toFixed(1)} s`
  const width = (words: string) => words.length * SMALLEST_TEXT * CONDENSED_EM
  const room = RIGHT - width(end) - x - 2 * LABEL_GAP
  const rest = ['the rest is spare, in case of noise', 'the rest is spare'].find(
    (words) => width(words) <= room,
  )
  return (
    text(x - LABEL_GAP, LABELS, readable, { ...style, fill: NIGHT.ink, anchor: 'end' }) +
    (rest ? text(x + LABEL_GAP, LABELS, rest, style) : '') +
    (room > 0 ? text(RIGHT, LABELS, end, { ...style, fill: FAINT, anchor: 'end' }) : '')
  )
}
