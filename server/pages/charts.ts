// What is drawn of a day, as SVG with classes and presentation attributes only: its chord and its tone strip.
import { html } from 'hono/html'
import {
  blockDashes,
  type Chord,
  type ChordGrid,
  chordSize,
  columnPath,
  gridPath,
  slashPath,
} from '../../archive/drawing/chord.ts'
import { STRIP, stripPaths, type ToneRow } from '../../archive/drawing/tone-strip.ts'
import type { Html } from './html.ts'

/** The tones of a day; what they are is said beside them. */
export const toneStrip = (tones: ToneRow): Html =>
  html`<svg class="strip" viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none" aria-hidden="true">${stripPaths(
    tones,
  ).map((path, tone) => html`<path class="tone-${tone}" d="${path}"></path>`)}</svg>`

/** What lies under the base line, in blocks. */
const BASE = 0.6

/** A chord as a chart; its numbers stand beside it or in `label`. */
export interface ChordChart {
  chord: Chord
  grid: ChordGrid
  /** Whether the day was observed as a whole. */
  isWhole: boolean
  /** The id of a grid that the page defines once; drawn here without it. */
  unlit?: string
  label?: string
}

export function chordChart({ chord, grid, isWhole, unlit, label }: ChordChart): Html {
  const { width, height } = chordSize(grid)
  const below = grid.block.height * BASE
  const name = label ? html` role="img" aria-label="${label}"` : html` aria-hidden="true"`
  const style = html`stroke-width="${grid.block.width}" stroke-dasharray="${blockDashes(grid)}"`
  const columns = chord.map((blocks, i) => {
    if (blocks === null) return html`<path class="absent" d="${slashPath(grid, i)}"></path>`
    if (blocks === 0) return ''
    return html`<path class="tone-${i}" d="${columnPath(grid, i, blocks)}"></path>`
  })
  return html`<svg class="chord${isWhole ? '' : ' partial'}" viewBox="0 0 ${width} ${height + below}"${name}>${
    unlit
      ? html`<use href="#${unlit}"></use>`
      : html`<path class="unlit" ${style} d="${gridPath(grid)}"></path>`
  }<g class="lit" ${style}>${columns}</g><path class="base" d="M0 ${height + below / 2}h${width}"></path></svg>`
}

/** The grid that the charts of a page refer to by `id`. */
export function unlitGrid(id: string, grid: ChordGrid): Html {
  const style = html`stroke-width="${grid.block.width}" stroke-dasharray="${blockDashes(grid)}"`
  return html`<svg class="chord" width="0" height="0" aria-hidden="true"><defs><path id="${id}" class="unlit" ${style} d="${gridPath(grid)}"></path></defs></svg>`
}
