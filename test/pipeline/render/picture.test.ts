// The picture of a day, read back pixel by pixel.
import { PNG } from 'pngjs'
import { beforeAll, expect, test } from 'vitest'
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import { PICTURE, PLOT, xOfTime, yOfFrequency } from '../../../pipeline/render/layout.ts'
import { COLOUR } from '../../../pipeline/render/palette.ts'
import { renderPicture } from '../../../pipeline/render/picture.ts'
import {
  COUNTER_NAMES,
  encodeFrame,
  encodeTones,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  slotFrequency,
} from '../../../protocol/index.ts'
import { ACTIVE, INCONCLUSIVE, LARGEST, QUIET, samplesOf } from './days.ts'

/** A picture as its pixels' colours, `#rrggbb`, and how bright each is. */
interface Pixels {
  colour(x: number, y: number): string
  brightness(x: number, y: number): number
}

async function draw(snapshot: Snapshot, samples = samplesOf(snapshot)): Promise<Pixels> {
  const { bytes, properties } = await renderPicture(snapshot, samples)
  const { data, ...read } = PNG.sync.read(Buffer.from(bytes))
  expect(properties).toEqual({ width: read.width, height: read.height })
  const at = (x: number, y: number) => (Math.floor(y) * read.width + Math.floor(x)) * 4
  return {
    colour: (x, y) => `#${data.subarray(at(x, y), at(x, y) + 3).toString('hex')}`,
    brightness: (x, y) => data[at(x, y)]! + data[at(x, y) + 1]! + data[at(x, y) + 2]!,
  }
}

let active: Pixels
beforeAll(async () => {
  active = await draw(ACTIVE)
})

test('the picture is at least 1280 x 720', () => {
  expect(PICTURE.width).toBeGreaterThanOrEqual(1280)
  expect(PICTURE.height).toBeGreaterThanOrEqual(720)
})

test('the same snapshot gives the same bytes, whenever it was generated', async () => {
  const samples = samplesOf(ACTIVE)
  const [one, two, later] = await Promise.all([
    renderPicture(ACTIVE, samples),
    renderPicture(ACTIVE, samples),
    renderPicture({ ...ACTIVE, generated_at: '2027-01-01T00:00:00.000Z' }, samples),
  ])
  expect(Buffer.compare(one.bytes, two.bytes)).toBe(0)
  expect(Buffer.compare(one.bytes, later.bytes)).toBe(0)
})

test("each of the 273 slots shows its tone at the slot's time and the tone's frequency", () => {
  const tones = encodeTones(encodeFrame(fieldsOf(ACTIVE)))
  const wrong: number[] = []
  for (let slot = 0; slot < SLOTS; slot++) {
    const centre = (RAMP_SAMPLES + (slot + 0.5) * SYMBOL_SAMPLES) / SAMPLE_RATE
    const x = xOfTime(centre)
    const rows = Array.from({ length: PLOT.height }, (_, row) => PLOT.y + row)
    const brightest = rows.reduce((best, y) =>
      active.brightness(x, y) > active.brightness(x, best) ? y : best,
    )
    const expected = yOfFrequency(slotFrequency(tones[slot]!, slot))
    if (Math.abs(brightest + 0.5 - expected) > 1.5) wrong.push(slot)
  }
  expect(wrong).toEqual([])
})

/** The cells of the counters' grid in which two pictures differ; -1 for anywhere else. */
function changedCells(a: Pixels, b: Pixels): number[] {
  const cells = new Set<number>()
  for (let y = 0; y < PICTURE.height; y++) {
    for (let x = 0; x < PICTURE.width; x++) {
      if (a.brightness(x, y) === b.brightness(x, y)) continue
      const [column, row] = [Math.floor((x - 80) / 440), Math.floor((y - 290) / 92)]
      const inside = x >= 80 && x < 1840 && y >= 290 && y < 290 + 3 * 92
      cells.add(inside ? row * 4 + column : -1)
    }
  }
  return [...cells].sort((one, other) => one - other)
}

test.each([
  ['first, third and so on', [0, 2, 4, 6, 8, 10]],
  ['second, fourth and so on', [1, 3, 5, 7, 9, 11]],
])('a change of the %s counter shows in its own cell and nowhere else', async (_, changed) => {
  const counters = { ...ACTIVE.counters }
  for (const i of changed) counters[COUNTER_NAMES[i]!] = '806'
  const other = await draw({ ...ACTIVE, counters }, samplesOf(ACTIVE))
  expect(changedCells(active, other)).toEqual(changed)
})

test('twelve values of 20 digits leave the gaps between the columns free', async () => {
  const largest = await draw(LARGEST)
  for (const column of [1, 2, 3, 4]) {
    const right = 80 + column * 440
    for (let y = 250; y < 535; y++) {
      for (let x = right - 24; x < right - 4; x++) {
        if (largest.colour(x, y) !== COLOUR.background) expect.fail(`a digit at ${x}, ${y}`)
      }
    }
  }
})

test('the bar of the day is empty where no server was observed, and only there', async () => {
  const drawn = await draw(INCONCLUSIVE)
  const atHour = (pixels: Pixels, hour: number) => pixels.colour(1230 + (280 * hour) / 24, 209)
  expect([1, 4.8, 12.2, 23].map((hour) => atHour(drawn, hour))).toEqual(Array(4).fill(COLOUR.good))
  expect([5.2, 8, 11.8].map((hour) => atHour(drawn, hour))).toEqual(
    Array(3).fill(COLOUR.background),
  )
  expect([1, 8, 23].map((hour) => atHour(active, hour))).toEqual(Array(3).fill(COLOUR.good))
})

test('conclusions differ in shape as well as in colour', async () => {
  const pictures = [active, await draw(QUIET), await draw(INCONCLUSIVE)]
  const mark = pictures.map((pixels) =>
    Array.from({ length: 30 * 30 }, (_, i) =>
      pixels.colour(877 + (i % 30), 114 + Math.floor(i / 30)) === COLOUR.background ? ' ' : '#',
    ).join(''),
  )
  expect(new Set(mark).size).toBe(3)
  expect(mark.every((shape) => shape.includes('#'))).toBe(true)
})
