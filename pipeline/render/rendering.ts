// The result of a renderer and the version of the renderers.
import type { MediumProperties } from '../../archive/format/facts.ts'

/**
 * The version of the drawing code, stated in manifests. Increment it whenever the same snapshot would yield other bytes
 * (FORMAT.md 8.4).
 */
export const RENDERER = '1'

export interface Rendering {
  bytes: Uint8Array
  /** Properties of the content that the manifest states. */
  properties: MediumProperties
}
