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
import { BASE } from './static/chart-grid.ts'

/** The tones of a day; what they are is said beside them. */
export const toneStrip = (tones: ToneRow): Html =>
  html`<svg class="strip" viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none" aria-hidden="true">${stripPaths(
    tones,
  ).map((path, tone) => html`<path class="tone-${tone}" d="${path}"/>`)}</svg>`

/** A chord as a chart; its numbers stand next to it. */
export interface ChordChart {
  chord: Chord
  grid: ChordGrid
  /** Whether the day was observed as a whole. */
  isWhole: boolean
  /** The id of what the page defines once with `unlitGrid`; drawn here without it. */
  unlit?: string
}

export function chordChart({ chord, grid, isWhole, unlit }: ChordChart): Html {
  const { width, height } = chordSize(grid)
  const columns = chord.map((blocks, i) => {
    if (blocks === null) return html`<path class="absent" d="${slashPath(grid, i)}"/>`
    if (blocks === 0) return ''
    return html`<path class="tone-${i}" d="${columnPath(grid, i, blocks)}"/>`
  })
  return html`<svg class="chord${isWhole ? '' : ' partial'}" viewBox="0 0 ${width} ${height + BASE}" aria-hidden="true">${
    unlit ? html`<use href="#${unlit}"/>` : ground(grid)
  }<g class="lit" ${blockStroke(grid)}>${columns}</g></svg>`
}

/** What lies under every chord of a page, which refer to it by `id`. */
export const unlitGrid = (id: string, grid: ChordGrid): Html =>
  html`<svg class="unseen" width="0" height="0" aria-hidden="true"><defs><g id="${id}">${ground(grid)}</g></defs></svg>`

/** The unlit blocks and the base line. */
function ground(grid: ChordGrid): Html {
  const { width, height } = chordSize(grid)
  return html`<path class="unlit" ${blockStroke(grid)} d="${gridPath(grid)}"/><path class="base" d="M0 ${height + BASE - 1}h${width}"/>`
}

const blockStroke = (grid: ChordGrid): Html =>
  html`stroke-width="${grid.block.width}" stroke-dasharray="${blockDashes(grid)}"`
