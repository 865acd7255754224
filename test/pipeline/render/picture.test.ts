// The picture of a day, checked by its pixels.
// Rules: WRITING.md 2.1, 4.2.
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { BYTES, chordOf, chordSize } from '../../../archive/drawing/chord.ts'
import { NIGHT } from '../../../archive/drawing/colours.ts'
import { tonesOf } from '../../../archive/drawing/tone-strip.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { gridOf } from '../../../pipeline/render/chord-figure.ts'
import {
  BAND,
  blockBoxes,
  CHORD,
  laneOf,
  PICTURE,
  RIBBON,
  SMALLEST_TEXT,
  VERDICT,
} from '../../../pipeline/render/layout.ts'
import { drawing, renderPicture } from '../../../pipeline/render/picture.ts'
import { loadSharp } from '../../../pipeline/render/png.ts'
import { COUNTER_NAMES, SLOTS } from '../../../protocol/index.ts'
import { inFull } from '../../support/runs.ts'
import { ACTIVE, INCONCLUSIVE, LARGEST, NULLS, pictureOf, QUIET } from './days.ts'
import { blockCentres, markCentre, type Pixels, pixelsOf } from './pixels.ts'

const draw = async (snapshot: Snapshot): Promise<Pixels> =>
  pixelsOf(PNG.sync.read(Buffer.from(await pictureOf(snapshot))))

const active = await draw(ACTIVE)

test('the picture is Full HD', async () => {
  const { width, height } = PNG.sync.read(Buffer.from(await pictureOf(ACTIVE)))
  expect([width, height]).toEqual([1920, 1080])
  expect(PICTURE).toEqual({ width, height })
})

test('the same snapshot gives the same bytes, whenever it was generated', async () => {
  const later = await renderPicture({ ...ACTIVE, generated_at: '2027-01-01T00:00:00.000Z' })
  expect(Buffer.compare(await pictureOf(ACTIVE), later.bytes)).toBe(0)
  expect(later.properties).toEqual(PICTURE)
})

const boxOf = (counter: number) => blockBoxes()[counter < 6 ? 0 : 1]!

test.each([
  ['a busy day', ACTIVE],
  ['a day with counters that were not counted', NULLS],
  ['the fullest day', LARGEST],
])(
  'each lane of %s but that of the bytes has a lit block for each binary digit',
  async (_, day) => {
    const pixels = await draw(day)
    const grid = gridOf(day.counters)
    for (const [counter, blocks] of chordOf(day.counters).entries()) {
      const lit = blockCentres(grid, counter).map(
        ({ x, y }) => pixels.colour(x, y) === NIGHT.tones[counter],
      )
      const expected = Array.from(
        { length: grid.rows },
        (_, row) => counter !== BYTES && row < (blocks ?? 0),
      )
      expect(lit).toEqual(expected)
    }
  },
)

test('a counter that was not counted has an amber slash and dash instead of blocks and number', async () => {
  const pixels = await draw(NULLS)
  const grid = gridOf(NULLS.counters)
  for (const [counter, name] of COUNTER_NAMES.entries()) {
    const lane = laneOf(counter)
    const isAmber = NULLS.counters[name] === null
    const x = boxOf(counter).x + chordSize(grid).height / 2
    expect(pixels.colour(x, lane.y + lane.height / 2) === NIGHT.warning).toBe(
      isAmber && counter !== BYTES,
    )
    // A vertical line crosses the dash whatever its baseline.
    const right = lane.x + lane.width - 20
    const dash = Array.from({ length: lane.height }, (_, dy) => pixels.colour(right, lane.y + dy))
    expect(dash.includes(NIGHT.warning)).toBe(isAmber)
  }
})

test('the number of counters not counted is shown below the conclusion in amber', async () => {
  const isShown = (pixels: Pixels) =>
    Array.from({ length: 36 * 400 }, (_, i) =>
      pixels.colour(VERDICT.x + (i % 400), 202 + Math.floor(i / 400)),
    ).includes(NIGHT.warning)
  expect([await draw(NULLS), active].map(isShown)).toEqual([true, false])
})

test('each of the 273 slots has a mark at its time and tone', () => {
  const tones = tonesOf(ACTIVE)
  const wrong = tones.flatMap((tone, slot) => {
    const { x, y } = markCentre(tone!, slot)
    return active.colour(x, y) === NIGHT.ink ? [] : [slot]
  })
  expect(tones).toHaveLength(SLOTS)
  expect(wrong).toEqual([])
})

/** Returns the counters in whose lanes two pictures differ, and -1 if they differ elsewhere above the tones. */
function changedLanes(a: Pixels, b: Pixels): number[] {
  const lanes = new Set<number>()
  const pitch = laneOf(1).y - laneOf(0).y
  for (let y = 0; y < BAND.y; y++) {
    for (let x = 0; x < PICTURE.width; x++) {
      if (a.brightness(x, y) === b.brightness(x, y)) continue
      const half = x < PICTURE.width / 2 ? 0 : 6
      lanes.add(y < CHORD.y ? -1 : half + Math.floor((y - CHORD.y) / pitch))
    }
  }
  return [...lanes].sort((one, other) => one - other)
}

test('a change of a counter shows in its own lane, and in the tones', async () => {
  const changed = [0, 2, 4, 6, 8, 10]
  const counters = { ...ACTIVE.counters }
  for (const i of changed) counters[COUNTER_NAMES[i]!] = '1806'
  const other = await draw({ ...ACTIVE, counters })
  expect(changedLanes(active, other)).toEqual(changed)
})

test('blocks and twelve values of 20 digits stay clear of the names and of the other lanes', async () => {
  const largest = await draw(LARGEST)
  for (const counter of COUNTER_NAMES.keys()) {
    const lane = laneOf(counter)
    const { x: left } = boxOf(counter)
    for (let y = lane.y; y < lane.y + lane.height + 20; y++) {
      for (let x = left - 12; x < lane.x + lane.width; x++) {
        const isInside = x >= left && y < lane.y + lane.height
        if (!isInside && largest.colour(x, y) !== NIGHT.ground) expect.fail(`light at ${x}, ${y}`)
      }
    }
  }
})

inFull('the ribbon of the day is empty where no server was observed, and only there', async () => {
  const drawn = await draw(INCONCLUSIVE)
  const atHour = (pixels: Pixels, hour: number) =>
    pixels.colour(RIBBON.x + (RIBBON.width * hour) / 24, RIBBON.y + RIBBON.height / 2)
  expect([1, 4.8, 12.2, 23].map((hour) => atHour(drawn, hour))).toEqual(Array(4).fill(NIGHT.good))
  expect([5.2, 8, 11.8].map((hour) => atHour(drawn, hour))).toEqual(Array(3).fill(NIGHT.ground))
  expect([1, 8, 23].map((hour) => atHour(active, hour))).toEqual(Array(3).fill(NIGHT.good))
})

inFull('conclusions differ in shape as well as in colour', async () => {
  const pictures = [active, await draw(QUIET), await draw(INCONCLUSIVE)]
  const mark = pictures.map((pixels) =>
    Array.from({ length: 60 * 60 }, (_, i) =>
      pixels.colour(VERDICT.x - 4 + (i % 60), 72 + Math.floor(i / 60)) === NIGHT.ground ? ' ' : '#',
    ).join(''),
  )
  expect(new Set(mark).size).toBe(3)
  expect(mark.every((shape) => shape.includes('#'))).toBe(true)
})

test('no text is smaller than 6 pixels at a width of 320 pixels', () => {
  expect((SMALLEST_TEXT * 320) / PICTURE.width).toBeGreaterThan(7)
  const sizes = [ACTIVE, NULLS, INCONCLUSIVE, QUIET].flatMap((day) =>
    [...drawing(day).matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size)),
  )
  expect(sizes.length).toBeGreaterThan(80)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(SMALLEST_TEXT)
})

test('five different days have five different shapes at a width of 320 pixels', async () => {
  const sharp = await loadSharp()
  const shapes = await Promise.all(
    [QUIET, ACTIVE, NULLS, LARGEST, INCONCLUSIVE].map(async (day) => {
      const small = sharp(await pictureOf(day)).resize(320)
      return small.extract({ left: 14, top: 50, width: 292, height: 75 }).raw().toBuffer()
    }),
  )
  for (const [i, one] of shapes.entries()) {
    for (const other of shapes.slice(i + 1)) {
      const differing = one.filter((value, at) => Math.abs(value - other[at]!) > 40).length
      expect(differing / one.length).toBeGreaterThan(0.01)
    }
  }
})
