// The film of a day by the ffmpeg on PATH and the one that npm installs, its reproducibility with each, its cost, and the
// errors when rendering fails.
// Rules: WRITING.md 2.1, 4.1-4.2.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { tonesOf } from '../../../archive/drawing/tone-strip.ts'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { gridOf } from '../../../pipeline/render/chord-figure.ts'
import { prepareFilm, renderFilm } from '../../../pipeline/render/film.ts'
import { FRAME_RATE, FRAMES, timelineOf } from '../../../pipeline/render/film-filter.ts'
import { type Ffmpeg, findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
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
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { ACTIVE, partsIn } from './days.ts'
import { blockCentres, markCentre, type Pixels, pixelsOf } from './pixels.ts'

const onPath = findProgram('ffmpeg')
const ours = onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath })
const folder = temporaryFolder()

/** Slots from which the day can be read. */
const ENOUGH = 169

const FFMPEGS = [
  { name: 'the ffmpeg on PATH', ffmpeg: ours },
  { name: "npm's build of 2018", ffmpeg: findFfmpeg({ PATH: '' }) },
].flatMap(({ name, ffmpeg }) => (ffmpeg === null ? [] : [{ name, ffmpeg }]))

describe.each(FFMPEGS)('films by $name', ({ name, ffmpeg }) => {
  const { readable, read } = timelineOf(ENOUGH)
  let picture: Pixels
  let shown: Map<number, Pixels>
  const file = join(folder, `${name}.mp4`)
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
      blockCentres(grid, counter).filter(({ x, y }) => shown.get(n)!.brightness(x, y) > 300).length
    const counters = [0, 1, 2, 11]
    expect(counters.map((counter) => blocks(readable + 8, counter))).toEqual([0, 0, 0, 0])
    expect(blocks(readable + 14, 0)).toBeGreaterThan(0)
    expect(blocks(readable + 14, 0)).toBeLessThan(11)
    expect(counters.map((counter) => blocks(read, counter))).toEqual([11, 0, 5, 2])
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

  test('the same picture and sound give the same bytes', async () => {
    const again = await renderFilm(await partsIn(folder), { ffmpeg })
    expect(Buffer.compare(bytes, Buffer.from(again.bytes))).toBe(0)
  })

  test.runIf(ffmpeg === ours)(
    'it has an SSIM of 0.98 to its uncompressed frames',
    async () => {
      const frames = join(folder, 'frames.y4m')
      const { inputs, filter, options } = await prepareFilm(await partsIn(folder))
      const stills = inputs.slice(0, -1).flatMap((path) => ['-i', path])
      const rate = options.find((option) => option.startsWith('-r '))!.split(' ')
      runFfmpeg(...stills, '-filter_complex', filter, '-map', '[video]', ...rate, frames)
      const report = runFfmpeg('-i', file, '-i', frames, '-lavfi', 'ssim', '-f', 'null', '-')
      expect(Number(/All:([\d.]+)/.exec(report)?.[1])).toBeGreaterThanOrEqual(0.98)
    },
    240_000,
  )
})

/** Runs the ffmpeg on PATH and returns what it reports. */
function runFfmpeg(...args: string[]): string {
  const run = spawnSync(ours!.path, ['-y', '-nostdin', '-hide_banner', ...args])
  expect(run.status, run.stderr.toString()).toBe(0)
  return run.stderr.toString()
}

test('a broken picture makes ffmpeg fail, and an abort rejects with its own reason', async () => {
  const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })!
  const parts = await partsIn(folder)
  const broken = renderFilm({ ...parts, picture: parts.picture.subarray(0, 3000) }, { ffmpeg })
  await expect(broken).rejects.toMatchObject({ name: 'FfmpegError', code: 'failed' })
  const abort = new AbortController()
  const onProgress = () => abort.abort(new Error('aborted by the test'))
  const stopped = renderFilm(parts, { ffmpeg, signal: abort.signal, onProgress })
  await expect(stopped).rejects.toThrow('aborted by the test')
})

test.runIf(existsSync('/dev/full'))('a full disk is named, whatever ffmpeg reports', async () => {
  const full = join(folder, 'full')
  mkdirSync(full)
  symlinkSync('/dev/full', join(full, 'reserve'))
  const failing = join(folder, 'failing')
  writeFileSync(failing, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const made = renderFilm(await partsIn(full), { ffmpeg: { path: failing, version: '1' } })
  await expect(made).rejects.toMatchObject({ code: 'ENOSPC' })
})

/** Runs ffmpeg on a film with these output options and returns its standard output. */
function extract(ffmpeg: Ffmpeg, file: string, options: string[]): Buffer {
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin']
  const args = [...quiet, '-i', file, ...options, 'pipe:1']
  const run = spawnSync(ffmpeg.path, args, { maxBuffer: 2 ** 28 })
  expect(run.stderr.toString()).toBe('')
  return run.stdout
}

/** Decodes the frames with these numbers, in ascending order, in one pass. */
function framesOf(ffmpeg: Ffmpeg, file: string, numbers: number[]): Map<number, Pixels> {
  const chosen = numbers.map((n) => `eq(n\\,${n})`).join('+')
  const raw = ['-vf', `select=${chosen}`, '-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgb24']
  const data = extract(ffmpeg, file, raw)
  const size = PICTURE.width * PICTURE.height * 3
  expect(data.length).toBe(numbers.length * size)
  return new Map(
    numbers.map((n, i) => {
      const frame = data.subarray(i * size, (i + 1) * size)
      return [n, pixelsOf({ data: frame, width: PICTURE.width }, 3)]
    }),
  )
}
