// The names of media files: building, parsing, and rejection of every other spelling.
// Rules: FORMAT.md 2.1-2.2.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MEDIA_KINDS } from '../../../archive/format/media.ts'
import { isSha256, mediaName, parseMediaName } from '../../../archive/format/paths.ts'

const HASH = 'ab'.repeat(32)

const anyHash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))

it('file names survive a round trip through their parsers', () => {
  fc.assert(
    fc.property(anyHash, fc.constantFrom(...MEDIA_KINDS), (sha256, kind) => {
      expect(parseMediaName(mediaName(sha256, kind))).toEqual({ sha256, kind })
    }),
  )
})

it.each([
  `${HASH}`,
  `${HASH}.`,
  `${HASH}.WAV`,
  `${HASH}.wave`,
  `${HASH}.wav.png`,
  `${HASH}.json`,
  `${HASH.toUpperCase()}.wav`,
  `${HASH.slice(1)}.wav`,
  `0${HASH}.wav`,
  `${HASH.slice(1)}g.wav`,
  `../${HASH}.wav`,
  `${HASH}.wav\0`,
  `${HASH} .wav`,
])('%j is not the name of a media file', (name) => {
  expect(parseMediaName(name)).toBeNull()
})

it('arbitrary text is not accepted as the name of a media file or as a hash', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseMediaName(text)).toBeNull()
      expect(isSha256(text)).toBe(false)
    }),
  )
})
