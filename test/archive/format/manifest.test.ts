// Manifests: canonical bytes, strict parsing, and upgrades.
// Rules: FORMAT.md 1.2-1.4, 8.1-8.5, 8.7, 13.1.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import {
  type Manifest,
  manifestBytes,
  parseManifest,
  toolsOf,
} from '../../../archive/format/manifest.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { isUpgradeOf } from '../../../archive/log/upgrade.ts'
import { makeManifest, makeSnapshot, picture, video } from '../days.ts'
import { refusalOf } from '../refusal.ts'
import { anySnapshot, DAY } from './any-snapshot.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const media = { wav: encode('RIFF'), mp4: video(64, 36, 729, 25), png: picture(64, 36, 1) }
const manifest = makeManifest(makeSnapshot(DAY), media)
const isUpgrade = (before: Manifest, later: Manifest) =>
  isUpgradeOf(later, sha256Of(manifestBytes(before)))

it('a manifest survives a round trip through its bytes', () => {
  expect(parseManifest(manifestBytes(manifest))).toEqual(manifest)
  const reasons = fc.constantFrom('ffmpeg_not_found', 'render_failed')
  fc.assert(
    fc.property(anySnapshot, reasons, (s, reason) => {
      const some = makeManifest(s, media)
      some.media.mp4 = { available: false, reason }
      expect(parseManifest(manifestBytes(some))).toEqual(some)
    }),
    { numRuns: 20 },
  )
})

it('a manifest embeds the snapshot with its properties in the same order as `<day>.json`', () => {
  const { snapshot } = JSON.parse(decode(manifestBytes(manifest)))
  expect(`${JSON.stringify(snapshot, null, 2)}\n`).toBe(decode(snapshotBytes(manifest.snapshot)))
})

const tools = { renderer: '1', node: '24.21.0', sharp: '0.35.5', ffmpeg: '7.1' }

it('the writer rejects a manifest that breaks a rule', () => {
  const rendered_with = { ...tools, renderer: '02' }
  expect(refusalOf(() => manifestBytes({ ...manifest, rendered_with }))).toBe(
    'invalid_manifest: manifest: rendered_with.renderer: must be a whole number, at least 1',
  )
})

it('a media file that became available later has its own rendered_with as its last property', () => {
  const mp4 = { ...manifest.media.mp4, rendered_with: tools } as Manifest['media']['mp4']
  const later = { ...manifest, media: { ...manifest.media, mp4 } }
  expect(parseManifest(manifestBytes(later))).toEqual(later)
  const keys = Object.keys(JSON.parse(decode(manifestBytes(later))).media.mp4)
  expect(keys.slice(-3)).toEqual(['width', 'height', 'rendered_with'])
  expect(toolsOf(later, 'mp4')).toEqual(tools)
  expect(toolsOf(later, 'png')).toEqual(manifest.rendered_with)
  const before = makeManifest(manifest.snapshot, { ...media, mp4: undefined })
  expect(isUpgrade(before, later)).toBe(true)
  expect(toolsOf(before, 'mp4')).toEqual(manifest.rendered_with)
})
