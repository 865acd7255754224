// What a renderer gives: the bytes of a file, what the manifest states of their content, and by which renderer.
import type { MediumProperties } from '../../archive/format/manifest.ts'

/**
 * The number of the drawing code, which manifests name: raised whenever the same snapshot would give
 * other bytes (FORMAT.md 8.4). Manifests without one are of renderer 1.
 */
export const RENDERER = '2'
export const FIRST_RENDERER = '1'

export interface Rendering {
  bytes: Uint8Array
  properties: MediumProperties
}
