// Draws a day's chord and tone strip as SVG, with classes and attributes only: the page's policy forbids inline styles.

import {
  blockDashes,
  type Chord,
  type ChordGrid,
  chordSize,
  columnPath,
  columnX,
  gridPath,
  rowsFor,
  SMALL_COLUMNS,
  slashPath,
  smallChordOf,
  smallRowsFor,
} from '../../../archive/drawing/chord.ts'
import { STRIP, stripPath, type ToneRow } from '../../../archive/drawing/tone-strip.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { BASE, chartGrid, columnPaths, smallGrid } from '../static/chart-grid.ts'
import { COUNTER_INITIALS } from '../static/counters.ts'
import { type Html, html } from './html.ts'

/** The tones of a day; hidden from screen readers because the text next to them describes them. */
export const toneStrip = (tones: ToneRow): Html =>
  html`<svg class="strip" viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none" aria-hidden="true"><path d="${stripPath(tones)}"/></svg>`

/** The chord that rises while a day is played. */
export const CHORD_ID = 'chord'

/**
 * Draws the chord of a day, with the initials of its counters below.
 * @param isWhole whether the day was observed in full
 * @param id of the element
 */
export function chordChart(counters: Snapshot['counters'], isWhole = true, id?: string): Html {
  const chord = smallChordOf(counters)
  const grid = chartGrid(rowsFor([chord]))
  const columns = columnPaths(grid, chord).map(
    (column) => html`<path class="${column.class}" d="${column.d}"/>`,
  )
  const drawing = html`${ground(grid)}<g class="lit" ${blockStroke(grid)}>${columns}</g>`
  return html`<div class="with-initials">
    ${svgOf({ chord, grid, isWhole }, drawing, id)}
    <p class="initials" aria-hidden="true">${Object.values(COUNTER_INITIALS).map((initials) => html`<span>${initials}</span>`)}</p>
  </div>`
}

/** The grid of the small chords of these days. */
export const smallGridOf = (days: readonly Snapshot[]): ChordGrid =>
  smallGrid(smallRowsFor(days.map(({ counters }) => smallChordOf(counters))))

/** Draws one of many small chords on a page, compactly: all columns are one path, and `sharedGrid` has the definitions. */
export function smallChord({ counters, coverage }: Snapshot, grid: ChordGrid): Html {
  const chord = smallChordOf(counters)
  const columns = chord.map((blocks, i) => (blocks ? columnPath(grid, i, blocks) : ''))
  return svgOf(
    { chord, grid, isWhole: coverage.status === 'complete' },
    html`<use href="#${UNLIT}"/><path class="lit" stroke="url(#${TONES})" ${blockStroke(grid)} d="${columns.join('')}"/>`,
  )
}

function svgOf(
  { chord, grid, isWhole }: { chord: Chord; grid: ChordGrid; isWhole: boolean },
  drawing: Html,
  id?: string,
): Html {
  const { width, height } = chordSize(grid)
  const slashes = chord.map((blocks, i) => (blocks === null ? slashPath(grid, i) : '')).join('')
  return html`<svg${id && html` id="${id}"`} class="chord${isWhole ? '' : ' partial'}"
      viewBox="0 0 ${width} ${height + BASE}" preserveAspectRatio="none" aria-hidden="true">
    ${drawing}${slashes && html`<path class="absent" d="${slashes}"/>`}
  </svg>`
}

/** Ids of the definitions that the small chords of a page share. */
const UNLIT = 'unlit'
const TONES = 'tones'

/** Defines what small chords share: the unlit ground, and the colours of the columns as a gradient. */
export function sharedGrid(grid: ChordGrid): Html {
  const { width } = chordSize(grid)
  const stops = SMALL_COLUMNS.map((tone, column) => {
    const left = columnX(grid, column)
    return [left, left + grid.block.width].map(
      (x) => html`<stop offset="${(x / width).toFixed(4)}" stop-color="var(--tone-${tone})"/>`,
    )
  })
  return html`<svg class="unseen" width="0" height="0" aria-hidden="true">
    <defs>
      <g id="${UNLIT}">${ground(grid)}</g>
      <linearGradient id="${TONES}" gradientUnits="userSpaceOnUse" x2="${width}">
        ${stops}
      </linearGradient>
    </defs>
  </svg>`
}

/** The unlit blocks and the base line. */
function ground(grid: ChordGrid): Html {
  const { width, height } = chordSize(grid)
  return html`<path class="unlit" ${blockStroke(grid)} d="${gridPath(grid)}"/>
    <path class="base" d="M0 ${height + BASE - 1}h${width}"/>`
}

const blockStroke = (grid: ChordGrid): Html =>
  html`stroke-width="${grid.block.width}" stroke-dasharray="${blockDashes(grid)}"`
