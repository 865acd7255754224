// mirror.json: canonical form, and the comparison of selections.
// Rules: FORMAT.md 19.2.
import { describe, expect, test } from 'vitest'
import {
  describeExcluded,
  FULL_SELECTION,
  includes,
  type MirrorSettings,
  mirrorBytes,
  parseMirror,
  type Selection,
} from '../../../archive/format/mirror.ts'
import { vkeyOf } from '../signing.ts'

const settings: MirrorSettings = {
  source: 'https://archive.example',
  from: '2026-11-19',
  to: null,
  media: ['wav', 'png'],
}

describe('mirror.json', () => {
  test('mirror.json is written in canonical JSON', () => {
    const written = `{
  "source": "https://archive.example",
  "from": "2026-11-19",
  "to": null,
  "media": [
    "wav",
    "png"
  ]
}
`
    expect(Buffer.from(mirrorBytes(settings)).toString()).toBe(written)
    expect(parseMirror(Buffer.from(written))).toEqual(settings)
  })

  test('trusted keys are the last property', () => {
    const pinned = { ...settings, keys: [vkeyOf(1)] }
    expect(parseMirror(mirrorBytes(pinned))).toEqual(pinned)
    expect(Object.keys(JSON.parse(Buffer.from(mirrorBytes(pinned)).toString())).at(-1)).toBe('keys')
  })

  test.each([
    { media: ['png', 'wav'] },
    { media: ['wav', 'wav'] },
    { media: ['gif'] },
    { from: '2026-02-30' },
    { from: '2026-11-20', to: '2026-11-19' },
    { source: '' },
    { keys: [] },
    { keys: ['archive.example'] },
    { other: 1 },
  ])('the parser rejects a mirror.json with %j', (change) => {
    const text = `${JSON.stringify({ ...settings, ...change }, null, 2)}\n`
    expect(() => parseMirror(Buffer.from(text))).toThrow(/^mirror\.json: /)
  })
})

describe('selections', () => {
  const part: Selection = { from: '2026-11-02', to: '2026-11-09', media: ['png'] }

  test('a selection includes another whose days and media are a subset of its own', () => {
    expect(includes(FULL_SELECTION, part)).toBe(true)
    expect(includes(part, part)).toBe(true)
    expect(includes(part, FULL_SELECTION)).toBe(false)
    expect(includes(part, { ...part, from: '2026-11-01' })).toBe(false)
    expect(includes(part, { ...part, to: null })).toBe(false)
    expect(includes(part, { ...part, media: ['wav', 'png'] })).toBe(false)
  })

  test('the description of a selection names the excluded days and media', () => {
    expect(describeExcluded(FULL_SELECTION)).toBe(null)
    expect(describeExcluded(part)).toBe('days before 2026-11-02; days after 2026-11-09; wav, mp4')
  })
})
