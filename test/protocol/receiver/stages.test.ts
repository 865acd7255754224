// The first stages of the receiver, tested separately: FFT, selection, baseband, spectrogram, search.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startOf, translationOf } from '../../../protocol/receiver/alignment.ts'
import {
  BASEBAND_RATE,
  Baseband,
  CENTRE_FREQUENCY,
  type Signal,
} from '../../../protocol/receiver/baseband.ts'
import { FourierTransform } from '../../../protocol/receiver/fft.ts'
import {
  FULL_RANGE,
  MISTUNED_RANGE,
  NOMINAL_RANGE,
  search,
  syncEvidence,
} from '../../../protocol/receiver/search.ts'
import { Selector } from '../../../protocol/receiver/select.ts'
import {
  COARSE,
  FINE,
  mirroredCells,
  rowOf,
  type Spectrogram,
  spectrogram,
} from '../../../protocol/receiver/spectrogram.ts'
import { atSpeed, inverted, noisy, padded, type Sound, translated } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { random } from '../../support/random.ts'
import { inFull } from '../../support/runs.ts'

function basebandOf(sound: Float32Array, rate = 48_000, block = 65_536): Signal {
  const baseband = new Baseband(rate)
  for (let at = 0; at < sound.length; at += block) baseband.push(sound.subarray(at, at + block))
  baseband.finish()
  return baseband.signal
}

function cosine(hertz: number, rate: number, seconds: number): Float32Array {
  return Float32Array.from({ length: rate * seconds }, (_, i) =>
    Math.cos((2 * Math.PI * hertz * i) / rate),
  )
}

test.each([4, 8, 64, 512])('an FFT of %i points equals the defining sum', (length) => {
  const { gaussian } = random(length)
  const input = Array.from({ length }, () => [gaussian(), gaussian()] as const)
  const transform = new FourierTransform(length)
  for (const [i, [real, imag]] of input.entries()) {
    transform.real[i] = real
    transform.imag[i] = imag
  }
  transform.run()
  for (const k of [0, 1, length / 2, length - 1]) {
    let [real, imag] = [0, 0]
    for (const [i, [x, y]] of input.entries()) {
      const angle = (-2 * Math.PI * i * k) / length
      real += x * Math.cos(angle) - y * Math.sin(angle)
      imag += x * Math.sin(angle) + y * Math.cos(angle)
    }
    expect(transform.real[k]).toBeCloseTo(real, 8)
    expect(transform.imag[k]).toBeCloseTo(imag, 8)
  }
})

test('the selector marks the smallest values, as sorting would, whatever the ties', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }),
      fc.nat(),
      (list, n) => {
        const keep = (n % list.length) + 1
        const marks = new Uint8Array(list.length)
        new Selector(list.length).markSmallest(Float64Array.from(list), list.length, keep, marks)
        const kept = list.filter((_, i) => marks[i] === 1).sort((a, b) => a - b)
        expect(kept).toEqual([...list].sort((a, b) => a - b).slice(0, keep))
      },
    ),
  )
})

describe('the baseband', () => {
  test.each([8000, 11_025, 22_050, 44_100, 47_999, 48_000, 96_000, 192_000])(
    'a tone recorded at %i Hz is shifted by the band centre, without delay or change of phase',
    (rate) => {
      for (const hertz of [510, 1200, 2700]) {
        const signal = basebandOf(cosine(hertz, rate, 1), rate)
        let [real, imag] = [0, 0]
        for (let i = 100; i < 4700; i++) {
          const angle = (-2 * Math.PI * (hertz - CENTRE_FREQUENCY) * i) / BASEBAND_RATE
          real += signal.real[i]! * Math.cos(angle) - signal.imag[i]! * Math.sin(angle)
          imag += signal.real[i]! * Math.sin(angle) + signal.imag[i]! * Math.cos(angle)
        }
        expect(real / 4600).toBeCloseTo(1, 2)
        expect(imag / 4600).toBeCloseTo(0, 2)
      }
    },
  )

  test('the baseband suppresses frequencies that would alias into the band', () => {
    for (const hertz of [5300, 6400, 12_000]) {
      const signal = basebandOf(cosine(hertz, 48_000, 1))
      const power = signal.real.subarray(100, 4700).reduce((sum, sample) => sum + sample ** 2, 0)
      expect(power / 4600).toBeLessThan(1e-5)
    }
  })

  test('the baseband is the same for blocks of any size, and after dropping old samples', () => {
    const { gaussian } = random(1)
    const sound = Float32Array.from({ length: 44_100 }, gaussian)
    const whole = basebandOf(sound, 44_100, sound.length)
    const blocks = new Baseband(44_100)
    for (let at = 0, size = 1; at < sound.length; at += size, size = (size * 7) % 4001) {
      blocks.push(sound.subarray(at, at + size))
      blocks.drop(blocks.signal.start + blocks.signal.length - 50)
    }
    blocks.finish()
    const { start, length, real } = blocks.signal
    expect(start).toBeGreaterThan(4000)
    expect(start + length).toBe(whole.length)
    expect(real.subarray(0, length)).toEqual(whole.real.subarray(start, start + length))
  })
})

describe('the spectrogram', () => {
  test('the spectrogram is in units of the noise: white noise has a mean of about 1 in every row', () => {
    const { gaussian } = random(2)
    const { power, columns, rows } = spectrogram(
      basebandOf(Float32Array.from({ length: 48_000 * 20 }, gaussian)),
      FINE,
    )
    for (const row of [10, 250, 251, 490]) {
      let sum = 0
      for (let column = 0; column < columns; column++) sum += power[column * rows + row]!
      expect(sum / columns).toBeGreaterThan(0.8)
      expect(sum / columns).toBeLessThan(1.25)
    }
  })

  test('the spectrogram shows a tone in the row of its frequency', () => {
    const { gaussian } = random(3)
    const beep = cosine(9.375 * 100.5, 48_000, 9).map(
      (x, i) => 0.3 * gaussian() + (i % 144_000 < 14_400 ? x : 0),
    )
    const cells = spectrogram(basebandOf(beep), FINE)
    const time = Math.round((3.1 * BASEBAND_RATE) / FINE.hop)
    const column = cells.power.subarray(time * cells.rows, (time + 1) * cells.rows)
    expect(column.indexOf(Math.max(...column))).toBe(rowOf(100.5, FINE))
  })
})

describe('the search', () => {
  const { sound } = sent(4)
  const cellsOf = (heard: Sound, grid = FINE) => spectrogram(basebandOf(heard), grid)
  const find = (cells: Spectrogram, range = FULL_RANGE) => {
    const [best] = search(syncEvidence(cells), range, 1)
    const { alignment, sync } = best!
    return {
      start: startOf(alignment) / BASEBAND_RATE,
      speed: alignment.speed,
      translation: translationOf(alignment),
      sync,
    }
  }

  inFull('the search finds start, speed and translation of a transmission at Eb/N0 1 dB', () => {
    const found = find(cellsOf(noisy(padded(translated(atSpeed(sound, 1.013), 11), 3, 2), 1, 3)))
    expect(Math.abs(found.start - 3.01)).toBeLessThan(0.04)
    expect(Math.abs(found.speed - 1.013)).toBeLessThan(0.002)
    expect(Math.abs(found.translation - 11)).toBeLessThan(8)
    expect(found.sync).toBeGreaterThan(20)
  })

  test('the quick search finds an ordinary transmission at Eb/N0 3 dB', () => {
    const cells = cellsOf(noisy(padded(sound, 3, 2), 3, 3), COARSE)
    const found = find(cells, NOMINAL_RANGE)
    expect(Math.abs(found.start - 3.01)).toBeLessThan(0.02)
    expect(found.sync).toBeGreaterThan(20)
  })

  test('the search finds a transmission that began before the recording', () => {
    const found = find(cellsOf(padded(sound.slice(4 * 48_000), 0, 1)))
    expect(Math.abs(found.start + 3.99)).toBeLessThan(0.03)
  })

  inFull('the search finds a mirrored transmission only in the mirrored spectrogram', () => {
    const cells = cellsOf(noisy(padded(inverted(sound, 3180), 1, 1), 3, 4))
    expect(find(mirroredCells(cells), MISTUNED_RANGE).sync).toBeGreaterThan(30)
    expect(find(cells).sync).toBeLessThan(20)
  })

  inFull('the search finds no alignment in noise with the evidence of a transmission', () => {
    const { gaussian } = random(5)
    expect(find(cellsOf(Float32Array.from({ length: 48_000 * 40 }, gaussian))).sync).toBeLessThan(
      18,
    )
  })
})
