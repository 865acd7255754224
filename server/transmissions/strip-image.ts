// Draws the tones of a day as a standalone SVG, which a style sheet can use as a mask to colour it.
import { STRIP, SYNC_ONLY, stripPaths, tonesOf } from '../../archive/drawing/tone-strip.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'

/** @param snapshot null for the sync tones that all days share */
export function stripImage(snapshot: Snapshot | null): string {
  const marks = stripPaths(snapshot === null ? SYNC_ONLY : tonesOf(snapshot)).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none"><path d="${marks}" fill="none" stroke="#000" stroke-width="3" vector-effect="non-scaling-stroke"/></svg>`
}
