// What a renderer gives: the bytes of a file, and what the manifest states of their content.
import type { MediumProperties } from '../../archive/format/manifest.ts'

export interface Rendering {
  bytes: Uint8Array
  properties: MediumProperties
}
