// Manifests: canonical bytes, strict parsing, and upgrades.
// Rules: FORMAT.md 1.2-1.4, 8.1-8.5, 8.8, 15.1.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

describe('manifests', () => {
  it('a manifest survives a round trip through its bytes', () => {
    expect(parseManifest(manifestBytes(manifest))).toEqual(manifest)
    fc.assert(
      fc.property(
        anySnapshot,
        fc.constantFrom('ffmpeg_not_found', 'render_failed'),
        (s, reason) => {
          const made = makeManifest(s, media)
          const without = { ...made.media, mp4: { available: false as const, reason } }
          const some = { ...made, media: without } as Manifest
          expect(parseManifest(manifestBytes(some))).toEqual(some)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('a manifest embeds the snapshot with its properties in the same order as `<day>.json`', () => {
    const { snapshot } = JSON.parse(decode(manifestBytes(manifest)))
    expect(`${JSON.stringify(snapshot, null, 2)}\n`).toBe(decode(snapshotBytes(manifest.snapshot)))
  })

  const text = decode(manifestBytes(manifest))
  const png = manifest.media.png.available ? manifest.media.png.sha256 : ''
  it.each<[string, string | RegExp, string, string]>([
    ['unknown property', '"media": {', '"extra": 0,\n  "media": {', 'extra: unknown property'],
    [
      'repeated property',
      '"media": {',
      '"media": {},\n  "media": {',
      'the key "media" is repeated',
    ],
    ['broken snapshot', '"active"', '"busy"', 'snapshot.conclusion: must be'],
    ['another day', `"day": "${DAY}"`, '"day": "2026-11-18"', 'snapshot.day: must be 2026-11-18'],
    ['a path as filename', `"${png}.png"`, '"../../x.png"', 'media.png.filename: must be'],
    ['another address', `/${png}.png"`, `/${png}.wav"`, 'media.png.url: must be'],
    [
      'a later version with a further kind',
      '"manifest_version": 1',
      '"manifest_version": 2',
      'manifest_version: is 2, and this program reads versions up to 1',
    ],
    ['a missing kind', '"png": {', '"gif": {', 'media.png: is missing'],
    ['another type', '"image/png"', '"text/html"', 'media.png.content_type: must be image/png'],
    ['no bytes', `"bytes": ${media.png.length}`, '"bytes": 0', 'media.png.bytes: must be'],
    ['half a byte', `"bytes": ${media.png.length}`, '"bytes": 1.5', 'media.png.bytes: must be'],
    ['a picture with a duration', '"png": {', '"png": {"duration_seconds": 1,', 'unknown property'],
    ['no such version', '"manifest_version": 1', '"manifest_version": 0', 'manifest_version: must'],
    ['a version as a number', '"sharp": "0.35.5"', '"sharp": 35', 'rendered_with.sharp: must be'],
    ['sound without duration', /,\s+"duration_seconds": 29.14/, '', 'media.wav.duration_seconds'],
  ])('a manifest with %s is rejected', (_, search, replacement, message) => {
    const changed = text.replace(search, replacement)
    expect(changed).not.toBe(text)
    const said = refusalOf(() => parseManifest(encode(changed)))
    expect(said).toMatch(/^invalid_manifest: manifest: [^\n]*$/)
    expect(said).toContain(message)
  })

  const tools = { renderer: '1', node: '24.21.0', sharp: '0.35.5', ffmpeg: '7.1' }

  it('a version has 1 to 200 code points, and control characters are escaped', () => {
    const withSharp = (sharp: string) => ({ ...manifest, rendered_with: { ...tools, sharp } })
    for (const sharp of ['', 'x'.repeat(201), '\ud800'])
      expect(refusalOf(() => manifestBytes(withSharp(sharp)))).toContain(
        'rendered_with.sharp: must be 1 to 200 characters',
      )
    expect(decode(manifestBytes(withSharp('🜂'.repeat(200))))).toContain('🜂'.repeat(200))
    const bytes = manifestBytes(withSharp('\x01\b\t\n\v\f\r\x1f\x7f"\\/'))
    expect(decode(bytes)).toContain(
      String.raw`"sharp": "\u0001\b\t\n\u000b\f\r\u001f${'\x7f'}\"\\/"`,
    )
  })

  it('the number of the renderer is the first property of rendered_with', () => {
    const drawn = { ...manifest, rendered_with: { ...manifest.rendered_with, renderer: '2' } }
    expect(parseManifest(manifestBytes(drawn))).toEqual(drawn)
    expect(decode(manifestBytes(drawn))).toContain('"rendered_with": {\n    "renderer": "2",')
    for (const renderer of ['0', '02', '', 'two'])
      expect(
        refusalOf(() => manifestBytes({ ...drawn, rendered_with: { ...tools, renderer } })),
      ).toBe(
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
    const missing = { available: false as const, reason: 'render_failed' as const }
    const before = { ...manifest, media: { ...manifest.media, mp4: missing } }
    expect(isUpgrade(before, later)).toBe(true)
    expect(toolsOf(before, 'mp4')).toEqual(manifest.rendered_with)
  })

  it('a manifest may only be replaced by one in which unavailable media became available', () => {
    const missing = { available: false as const, reason: 'ffmpeg_not_found' as const }
    const without = { ...manifest, media: { ...manifest.media, mp4: missing } }
    expect(isUpgrade(without, manifest)).toBe(true)
    expect(isUpgrade(manifest, manifest)).toBe(false)
    expect(isUpgrade(manifest, without)).toBe(false)
    const renewed = { ...manifest, rendered_with: { ...manifest.rendered_with, ffmpeg: '7' } }
    expect(isUpgrade(without, renewed)).toBe(false)
    const other = makeManifest(makeSnapshot(DAY), { ...media, png: picture(64, 36, 2) })
    expect(isUpgrade(without, other)).toBe(false)
  })
})
