// What the video of a day must be, whichever ffmpeg makes it: its bytes, its frames, its sound.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { renderFilm } from '../../../pipeline/render/film.ts'
import type { Ffmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { PICTURE, PLOT, xOfTime } from '../../../pipeline/render/layout.ts'
import { renderPicture } from '../../../pipeline/render/picture.ts'
import { TRANSMISSION_SECONDS } from '../../../pipeline/render/sound.ts'
import { decodeWav } from '../../../protocol/index.ts'
import { ACTIVE, samplesOf, wavOf } from './days.ts'

/** What ffmpeg makes of the video's file, on standard output. */
function extract(ffmpeg: Ffmpeg, file: string, before: string[], after: string[]): Buffer {
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin']
  const args = [...quiet, ...before, '-i', file, ...after, 'pipe:1']
  const run = spawnSync(ffmpeg.path, args, { maxBuffer: 2 ** 28 })
  expect(run.stderr.toString()).toBe('')
  return run.stdout
}

/**
 * The tests of the video that one ffmpeg makes.
 * @param name whose ffmpeg it is
 * @param found the ffmpeg; null where this machine has none: the tests are skipped
 */
export function describeFilmsBy(name: string, found: Ffmpeg | null): void {
  describe.skipIf(found === null)(`films by ${name}`, () => {
    const ffmpeg = found!
    const folder = mkdtempSync(join(tmpdir(), 'daysignal-mp4-'))
    const sound = wavOf(ACTIVE)
    let picture: Uint8Array
    const file = join(folder, 'day.mp4')
    const progress: number[] = []
    let film: Awaited<ReturnType<typeof renderFilm>>
    let bytes: Buffer

    beforeAll(async () => {
      picture = (await renderPicture(ACTIVE, samplesOf(ACTIVE))).bytes
      const onProgress = (fraction: number) => progress.push(fraction)
      film = await renderFilm({ picture, sound, ffmpeg, folder, onProgress })
      bytes = Buffer.from(film.bytes)
      writeFileSync(file, bytes)
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    function frame(seconds: number): PNG {
      const after = ['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png']
      return PNG.sync.read(extract(ffmpeg, file, ['-ss', String(seconds)], after))
    }

    test('the film is H.264 in yuv420p and AAC, and its index comes first', () => {
      const { stderr } = spawnSync(ffmpeg.path, ['-hide_banner', '-i', file], { encoding: 'utf8' })
      expect(stderr).toMatch(/Video: h264 .*yuv420p\(tv, bt709.*1920x1080.* 12\.50? fps/)
      expect(stderr).toMatch(/Audio: aac \(LC\).* 48000 Hz, mono/)
      expect(stderr).toMatch(/Duration: 00:00:29\.20/)
      expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
      expect(film.properties).toMatchObject(PICTURE)
      // The last frame reaches a little past the sound.
      expect(film.properties.duration_seconds).toBeCloseTo(TRANSMISSION_SECONDS + 0.06, 3)
    })

    test('the film contains neither the version nor the settings of an encoder', () => {
      for (const trace of ['Lavf', 'Lavc5', 'x264 - core', 'cabac=', ffmpeg.version]) {
        expect(bytes.indexOf(trace)).toBe(-1)
      }
    })

    test('the sound is the whole transmission, sample by sample', () => {
      const raw = extract(ffmpeg, file, [], ['-vn', '-c:a', 'pcm_s16le', '-f', 's16le'])
      const heard = new Int16Array(new Uint8Array(raw).buffer)
      const sent = samplesOf(ACTIVE)
      expect(heard.length).toBeGreaterThanOrEqual(sent.length)
      const strayed = sent.reduce((sum, sample, i) => sum + (heard[i]! - sample) ** 2, 0)
      const power = sent.reduce((sum, sample) => sum + sample ** 2, 0)
      expect(strayed / power).toBeLessThan(0.01)
    })

    test('the sound still decodes to the day', () => {
      const sound = extract(ffmpeg, file, [], ['-vn', '-c:a', 'pcm_s16le', '-f', 'wav'])
      const { transmissions } = decodeWav(sound)
      expect(transmissions.map((transmission) => transmission.fields)).toEqual([fieldsOf(ACTIVE)])
    })

    test("the playhead is at each frame's time on the picture's axis", () => {
      for (const seconds of [0, 3.2, 14.56, 22, 29.12]) {
        const { data } = frame(seconds)
        const y = PLOT.y + 200
        const white = Array.from({ length: PICTURE.width }, (_, x) => x).filter(
          (x) => Math.min(...data.subarray((y * PICTURE.width + x) * 4).subarray(0, 3)) > 225,
        )
        // The line is two pixels wide and covers the exact place.
        const exact = Math.floor(xOfTime(seconds))
        const line = white.filter((x) => Math.abs(x - exact) <= 1)
        expect(line).toContain(exact)
        expect(line).toHaveLength(2)
      }
    })

    test('a frame shows the picture crisply away from the playhead', () => {
      const shown = frame(20)
      const still = PNG.sync.read(Buffer.from(picture))
      let squares = 0
      let worst = 0
      const above = PICTURE.width * (PLOT.y - 4) * 4
      for (let i = 0; i < above; i++) {
        const difference = Math.abs(shown.data[i]! - still.data[i]!)
        squares += difference ** 2
        worst = Math.max(worst, difference)
      }
      const decibels = 10 * Math.log10((255 ** 2 * above) / squares)
      expect(decibels).toBeGreaterThan(38)
      expect(worst).toBeLessThan(110)
    })

    test('progress runs from near 0 to 1, and never decreases', () => {
      expect(progress.length).toBeGreaterThan(2)
      expect(progress).toEqual(progress.toSorted((a, b) => a - b))
      expect(progress.at(-1)).toBe(1)
    })
  })
}

/** The test that one ffmpeg makes the same video twice. */
export function testRepeatedFilmBy(name: string, ffmpeg: Ffmpeg | null): void {
  test.skipIf(ffmpeg === null)(
    `the same picture and sound give the same bytes by ${name}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'daysignal-film-'))
      const picture = (await renderPicture(ACTIVE, samplesOf(ACTIVE))).bytes
      const sound = wavOf(ACTIVE)
      const make = () => renderFilm({ picture, sound, ffmpeg: ffmpeg!, folder })
      const [one, other] = [await make(), await make()]
      rmSync(folder, { recursive: true })
      expect(Buffer.compare(Buffer.from(one.bytes), Buffer.from(other.bytes))).toBe(0)
    },
  )
}
