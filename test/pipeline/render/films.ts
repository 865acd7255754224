// Tests of the film of a day that apply to every ffmpeg: its bytes, frames and sound.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { tonesOf } from '../../../archive/drawing/tone-strip.ts'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { gridOf } from '../../../pipeline/render/chord-figure.ts'
import { renderFilm } from '../../../pipeline/render/film.ts'
import { FRAME_RATE, FRAMES, timelineOf } from '../../../pipeline/render/film-timeline.ts'
import type { Ffmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import {
  CHORD,
  FREQUENCY,
  LISTENING,
  laneOf,
  NUMBER_ROOM,
  PICTURE,
  type Rectangle,
  VERDICT,
  WORDS,
} from '../../../pipeline/render/layout.ts'
import { middleOf } from '../../../pipeline/render/tone-roll.ts'
import {
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SYMBOL_SAMPLES,
  TRANSMISSION_SECONDS,
} from '../../../protocol/index.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { temporaryFolder } from '../../support/release.ts'
import { ACTIVE, partsIn, samplesOf } from './days.ts'
import { extract, framesOf } from './frames.ts'
import { blockCentres, markCentre, type Pixels, pixelsOf } from './pixels.ts'

/** Slots from which the day can be read. */
const ENOUGH = 169

/**
 * Defines the tests of the film by one ffmpeg.
 * @param name of the ffmpeg, for the test names
 * @param found the ffmpeg, or null to skip the tests because this machine has none
 */
export function describeFilmsBy(name: string, found: Ffmpeg | null): void {
  describe.skipIf(found === null)(`films by ${name}`, () => {
    const ffmpeg = found!
    const folder = temporaryFolder()
    const { readable, read } = timelineOf(ENOUGH)
    let picture: Pixels
    let shown: Map<number, Pixels>
    const file = join(folder, 'day.mp4')
    const progress: number[] = []
    let film: Awaited<ReturnType<typeof renderFilm>>
    let bytes: Buffer

    beforeAll(async () => {
      const parts = await partsIn(folder)
      picture = pixelsOf(PNG.sync.read(Buffer.from(parts.picture)))
      const onProgress = (fraction: number) => progress.push(fraction)
      film = await renderFilm(parts, { ffmpeg, onProgress })
      bytes = Buffer.from(film.bytes)
      writeFileSync(file, bytes)
      shown = framesOf(ffmpeg, file, [
        0,
        40,
        130,
        readable - 1,
        readable + 8,
        readable + 14,
        read,
        300,
        FRAMES - 3,
        FRAMES - 1,
      ])
    })

    test('the film is H.264 in yuv420p with AAC, and its index precedes the media data', () => {
      const { stderr } = spawnSync(ffmpeg.path, ['-hide_banner', '-i', file], { encoding: 'utf8' })
      expect(stderr).toMatch(/Video: h264 .*yuv420p\(tv, bt709.*1920x1080.* 12\.50? fps/)
      expect(stderr).toMatch(/Audio: aac \(LC\).* 48000 Hz, mono/)
      expect(stderr).toMatch(/Duration: 00:00:29\.20/)
      expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
      expect(film.properties).toMatchObject(PICTURE)
      // The last frame extends a little past the sound.
      expect(film.properties.duration_seconds).toBeCloseTo(TRANSMISSION_SECONDS + 0.06, 3)
    })

    test('the film contains neither the version nor the settings of an encoder', () => {
      for (const trace of ['Lavf', 'Lavc5', 'x264 - core', 'cabac=', ffmpeg.version]) {
        expect(bytes.indexOf(trace)).toBe(-1)
      }
    })

    test('the sound is the whole transmission, sample by sample', () => {
      const raw = extract(ffmpeg, file, ['-vn', '-c:a', 'pcm_s16le', '-f', 's16le'])
      const heard = new Int16Array(new Uint8Array(raw).buffer)
      const sent = samplesOf(ACTIVE)
      expect(heard.length).toBeGreaterThanOrEqual(sent.length)
      // At the loudness of podcasts, -16 LUFS, which is 8.6 dB less than that of the sound.
      const expected = sent.map((sample) => sample * 10 ** (-8.6 / 20))
      const error = expected.reduce((sum, sample, i) => sum + (heard[i]! - sample) ** 2, 0)
      const power = expected.reduce((sum, sample) => sum + sample ** 2, 0)
      expect(error / power).toBeLessThan(0.01)
    })

    test('the sound still decodes to the day', () => {
      const sound = extract(ffmpeg, file, ['-vn', '-c:a', 'pcm_s16le', '-f', 'wav'])
      const { transmissions } = decodeWav(sound)
      expect(transmissions.map((transmission) => transmission.fields)).toEqual([fieldsOf(ACTIVE)])
    })

    test('the sound has the loudness of podcasts, -16 LUFS', () => {
      const args = ['-hide_banner', '-nostats', '-i', file, '-af', 'ebur128', '-f', 'null', '-']
      const { stderr } = spawnSync(ffmpeg.path, args, { encoding: 'utf8' })
      const [, loudness] = /Integrated loudness:\s+I:\s+(-[\d.]+) LUFS/.exec(stderr) ?? []
      expect(Number(loudness)).toBeCloseTo(-16, 0)
    })

    test('each tone lights up large as it sounds and stays lit, and no tone is shown before', () => {
      const tones = tonesOf(ACTIVE)
      const light = (n: number, slot: number) => {
        const { x, y } = middleOf(tones[slot]!, slot)
        return shown.get(n)!.brightness(x, y)
      }
      for (const n of [0, 40, 130, readable - 1]) {
        const seconds = (n + 0.5) / FRAME_RATE - RAMP_SAMPLES / SAMPLE_RATE
        const sounding = Math.floor((seconds * SAMPLE_RATE) / SYMBOL_SAMPLES)
        expect(light(n, sounding)).toBeGreaterThan(600)
        for (const slot of [sounding - 1, sounding - 20, 0].filter((slot) => slot >= 0))
          expect(light(n, slot)).toBeGreaterThan(300)
        for (const slot of [sounding + 1, sounding + 20, 272])
          expect(light(n, slot)).toBeLessThan(120)
      }
    })

    test('the tones after the slots needed have half their light until the sound ends', () => {
      const tones = tonesOf(ACTIVE)
      const light = (n: number, slot: number) => {
        const { x, y } = markCentre(tones[slot]!, slot)
        return shown.get(n)!.brightness(x, y) / picture.brightness(x, y)
      }
      for (const slot of [40, 100, ENOUGH - 1]) expect(light(300, slot)).toBeGreaterThan(0.9)
      for (const slot of [ENOUGH, 200, 250]) expect(light(300, slot)).toBeLessThan(0.7)
      for (const slot of [40, ENOUGH - 1, ENOUGH, 272])
        expect(light(FRAMES - 1, slot)).toBeGreaterThan(0.9)
    })

    test('until the day can be read, nothing but its tones is shown', () => {
      const first = shown.get(0)!
      for (const n of [40, 130, readable - 1]) {
        const frame = shown.get(n)!
        const worst = (from: number, to: number) => {
          let most = 0
          for (let y = from; y < to; y++)
            for (let x = 0; x < PICTURE.width; x += 2)
              most = Math.max(most, Math.abs(frame.brightness(x, y) - first.brightness(x, y)))
          return most
        }
        expect(worst(0, LISTENING.y)).toBeLessThan(60)
        expect(worst(FREQUENCY.y + FREQUENCY.height, PICTURE.height)).toBeLessThan(60)
      }
    })

    test('the tones fall once the day can be read, and the chord rises', () => {
      const grid = gridOf(ACTIVE.counters)
      const blocks = (n: number, counter: number) =>
        blockCentres(grid, counter).filter(({ x, y }) => shown.get(n)!.brightness(x, y) > 300)
          .length
      const counters = [0, 1, 2, 11]
      expect(counters.map((counter) => blocks(readable + 8, counter))).toEqual([0, 0, 0, 0])
      expect(blocks(readable + 14, 1)).toBeGreaterThan(0)
      expect(blocks(readable + 14, 1)).toBeLessThan(19)
      expect(counters.map((counter) => blocks(read, counter))).toEqual([11, 19, 5, 2])
    })

    /** Counts the bright pixels of a frame in this rectangle. */
    const inked = (n: number, { x: left, y: top, width, height }: Rectangle) => {
      let bright = 0
      for (let y = top; y < top + height; y++)
        for (let x = left; x < left + width; x++) if (shown.get(n)!.brightness(x, y) > 500) bright++
      return bright
    }

    test('names are whole when they appear, before the chord rises', () => {
      const names = { ...CHORD, width: laneOf(0).width - NUMBER_ROOM.across }
      expect(inked(readable + 8, names)).toBe(0)
      expect(inked(readable + 14, names)).toBeGreaterThan(3000)
      const change = inked(readable + 14, names) / inked(read, names)
      expect(Math.abs(1 - change)).toBeLessThan(0.02)
    })

    test('the numbers are in words from then on, other ones after a while', () => {
      expect(inked(read, WORDS)).toBeGreaterThan(3000)
      expect(inked(300, WORDS)).not.toBe(inked(FRAMES - 3, WORDS))
    })

    test('numbers and conclusion appear when the chord has risen', () => {
      const { x, width } = laneOf(0)
      const numbers = { ...CHORD, x: x + width - NUMBER_ROOM.beside, width: NUMBER_ROOM.beside }
      expect(inked(readable + 14, numbers)).toBe(0)
      expect(inked(read, numbers)).toBeGreaterThan(3000)
      // The mark of an active day.
      const colour = (n: number) => shown.get(n)!.colour(VERDICT.x + 26, 102)
      expect(colour(read)).toMatch(/^#[56].[cdef]/)
      expect(colour(0)).not.toMatch(/^#[56].[cdef]/)
    })

    test('the last frame is the picture', () => {
      const { data } = shown.get(FRAMES - 1)!
      let squares = 0
      let worst = 0
      for (let i = 0, at = 0; i < data.length; i++, at += i % 3 === 0 ? 2 : 1) {
        const difference = Math.abs(data[i]! - picture.data[at]!)
        squares += difference ** 2
        worst = Math.max(worst, difference)
      }
      expect(10 * Math.log10((255 ** 2 * data.length) / squares)).toBeGreaterThan(36)
      expect(worst).toBeLessThan(130)
    })

    test('progress never decreases and ends at 1', () => {
      expect(progress.length).toBeGreaterThan(2)
      expect(progress).toEqual(progress.toSorted((a, b) => a - b))
      expect(progress.at(-1)).toBe(1)
    })
  })
}

/** Defines the test that one ffmpeg renders the same bytes twice. */
export function testRepeatedFilmBy(name: string, ffmpeg: Ffmpeg | null): void {
  test.skipIf(ffmpeg === null)(
    `the same picture and sound give the same bytes by ${name}`,
    async () => {
      const folder = temporaryFolder()
      const parts = await partsIn(folder)
      const make = () => renderFilm(parts, { ffmpeg: ffmpeg! })
      const [one, other] = [await make(), await make()]
      rmSync(folder, { recursive: true })
      expect(Buffer.compare(Buffer.from(one.bytes), Buffer.from(other.bytes))).toBe(0)
    },
  )
}
