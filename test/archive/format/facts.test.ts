// The facts of media files, and which files are not whole files of their kind.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf } from '../../../archive/format/media.ts'
import { picture, video } from '../days.ts'

const png = picture(64, 36, 1)
const mp4 = video(64, 36, 729, 25)
const bytes = (...parts: (Uint8Array | string)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))))
const free = (length: number) => bytes(Uint8Array.of(0, 0, 0, length), 'free')

describe('pictures', () => {
  it('a PNG has the size in its header', () => {
    expect(factsOf('png', png)).toEqual({ width: 64, height: 36 })
  })

  it('a PNG with any one byte changed is not a PNG', () => {
    const anywhere = fc.tuple(fc.nat(png.length - 1), fc.integer({ min: 1, max: 255 }))
    const check = fc.property(anywhere, ([at, change]) => {
      const changed = Uint8Array.from(png)
      changed[at]! ^= change
      expect(factsOf('png', changed)).toBeNull()
    })
    fc.assert(check, { numRuns: 1000 })
  })

  it('a PNG that is cut off anywhere is not a PNG', () => {
    for (let length = 0; length < png.length; length += 1)
      expect(factsOf('png', png.subarray(0, length))).toBeNull()
  })
})

describe('films', () => {
  it('an MP4 has the duration and the size of its video track', () => {
    const facts = { duration_seconds: 29.16, width: 64, height: 36 }
    expect(factsOf('mp4', mp4)).toEqual(facts)
    expect(factsOf('mp4', bytes(mp4, free(8), free(0), 'up to the end of the file'))).toEqual(facts)
  })

  it('an MP4 that is cut off anywhere is not an MP4', () => {
    const whole = bytes(mp4, free(8))
    for (let length = 0; length < mp4.length; length += 1)
      expect(factsOf('mp4', whole.subarray(0, length))).toBeNull()
  })

  it.each([
    ['fewer bytes than a header after its boxes', '\0\0\0\x08fre'],
    ['text after its boxes', 'more text'],
    ['a box that is larger than the rest of the file', free(9)],
    ['a box that is smaller than its header', free(7)],
  ])('a file with %s is not an MP4', (_, more) => {
    expect(factsOf('mp4', bytes(mp4, more))).toBeNull()
  })

  it('an MP4 with a track that does not fill the movie is not an MP4', () => {
    const changed = Uint8Array.from(mp4)
    const at = Buffer.from(changed).lastIndexOf('trak') - 1
    changed[at]! -= 1
    expect(factsOf('mp4', changed)).toBeNull()
  })
})
