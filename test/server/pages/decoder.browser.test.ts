// The decoder page in Chromium: it decodes recordings offline, and rejects files that are not recordings.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeFrame, encodeTransmission, SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { dayOf } from '../../support/payloads.ts'
import { startTestService } from '../../support/service.ts'

const fieldsOf = (day: string) =>
  dayOf(day, (i) => (i === 0 ? 2n ** 64n - 1n : i === 11 ? null : BigInt(i + 1)))

/** @param silence before the transmission [s] */
function recordingOf(day: string, silence = 0.5): Buffer {
  const samples = encodeTransmission(fieldsOf(day))
  const padded = new Int16Array(Math.round(silence * SAMPLE_RATE) + samples.length)
  padded.set(samples, padded.length - samples.length)
  return Buffer.from(writeWav(padded))
}

interface Recordings {
  /** `frames` is absent if decoding fails. */
  vectors: { file: string; frames?: string[] }[]
}
const vectorFile = (name: string) =>
  readFileSync(new URL(`../../../protocol/vectors/${name}`, import.meta.url))

const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'audio/wav', buffer })
const MP3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(5000, 0x55)])

describe.skipIf(!HAS_CHROMIUM)('the decoder page', () => {
  let browser: Browser
  let page: Page
  const requestsAfterLoad: string[] = []
  const complaints: string[] = []

  /** The service is stopped before the first file is chosen, so that whatever works then needs no network. */
  beforeAll(async () => {
    const service = await startTestService()
    browser = await launchChromium()
    page = await browser.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${service.url}/transmissions/decode`)
    await page.waitForSelector('#file:enabled')
    await service.stop()
    page.context().on('request', (request) => requestsAfterLoad.push(request.url()))
  })

  async function decode(...files: ReturnType<typeof fileOf>[]): Promise<void> {
    await page.setInputFiles('#file', files)
    await shows(files.length)
  }

  let sections = 0
  /** Waits until the page shows so many results more, and no progress. */
  async function shows(more: number): Promise<void> {
    sections += more
    await page.waitForFunction(
      (count) =>
        document.querySelectorAll('#results > section').length === count &&
        document.querySelector<HTMLElement>('#progress')!.hidden,
      sections,
    )
  }
  const newest = () => page.textContent('#results > section:first-child')

  test('the page reads the day, every counter and the flags from a WAV', async () => {
    await page.clock.setFixedTime('2026-11-20T00:00:00Z')
    await decode(fileOf('day.wav', recordingOf('2026-11-19')))
    const cells = await page.$$eval('#results article .counted td', (all) =>
      all.map((td) => td.textContent),
    )
    expect(cells).toEqual([
      '18,446,744,073,709,551,615',
      ...['2', '3', '4', '5', '6', '7', '8', '9', '10', '11'],
      'not available',
    ])
    expect(await page.getAttribute('#results article a', 'href')).toMatch(
      /^2026-11-19#frame=[0-9a-f]{212}$/,
    )
    const text = await newest()
    for (const word of ['day.wav', '2026-11-19', 'inconclusive', 'complete', 'ok', '0.50 s'])
      expect(text).toContain(word)
    await page.clock.setFixedTime('2026-11-19T23:59:59Z')
    await decode(fileOf('today.wav', recordingOf('2026-11-19')))
    expect(await page.isVisible('#results > :first-child article a')).toBe(false)
  })

  test('numbers of twenty digits stay in their card on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  test('the page rejects an MP3 with a sentence and still decodes the next file', async () => {
    await decode(fileOf('song.mp3', MP3))
    expect(await newest()).toContain('this is an MP3 file, not a WAV file')
    await decode(fileOf('empty.wav', Buffer.alloc(0)))
    expect(await newest()).toContain('the file is empty')
  })

  test('the page shows its progress on a long recording', async () => {
    await page.evaluate(() => {
      const seen: number[] = []
      const progress = document.querySelector('progress')!
      new MutationObserver(() => seen.push(progress.value)).observe(progress, { attributes: true })
      Object.assign(globalThis, { seen })
    })
    await decode(fileOf('long.wav', recordingOf('2026-11-03', 150)))
    expect(await newest()).toContain('2026-11-03')
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen)
    const between = seen.filter((value) => value > 0 && value < 1)
    expect(between.length).toBeGreaterThan(5)
    expect(between).toEqual(between.toSorted((a, b) => a - b))
  })

  test('the page decodes a file that is dropped on it', async () => {
    const base64 = recordingOf('2026-11-04', 0).toString('base64')
    const dropped = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], 'dropped.wav'))
      return transfer
    }, base64)
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: dropped })
    await shows(1)
    expect(await newest()).toContain('2026-11-04')
  })

  test('the page decodes several files in turn, and finds the same days as Node in the recordings of the vectors', async () => {
    const { vectors } = JSON.parse(vectorFile('recordings.json').toString()) as Recordings
    await decode(...vectors.map(({ file }) => fileOf(file, vectorFile(file))))
    const found = await page.$$eval('#results > section', (all) =>
      all.map((section) => ({
        file: section.querySelector('h2')!.textContent,
        days: Array.from(section.querySelectorAll('h3'), ({ textContent }) => textContent),
        failed: section.querySelector('.failure') !== null,
      })),
    )
    const expected = vectors.map(({ file, frames = [] }) => ({
      file,
      days: frames.map((hex) => decodeFrame(Buffer.from(hex, 'hex')).day),
      failed: frames.length === 0,
    }))
    expect(found.slice(0, vectors.length)).toEqual(expected.reverse())
  })

  test('the example is noisy, made without a request, and shown with the strength of the noise and what was repaired', async () => {
    await page.click('#example')
    await shows(1)
    const text = (await newest()) ?? ''
    expect(text).toContain('Example: a day under noise')
    expect(text).toMatch(
      /(?:Good|Buried in noise)\. \d+\.\d dB to spare before it is lost\. The noise was about \d+ times as strong as the tones\. \d+ of 273 tones were wrong and repaired/,
    )
    const [heard = 0, corrected = 0, missing = 0] = [
      ...text.matchAll(/(?:heard|corrected|missing) (\d+)(?=[,;])/g),
    ].map(([, count]) => Number(count))
    expect(corrected).toBeGreaterThan(0)
    expect(heard + corrected + missing).toBe(273)
    // No archive has the day of the example.
    expect(text).not.toContain('Compare it with the archived day')
  })

  test('a clean recording has no measurable noise, and a mark on each of its tones', async () => {
    await decode(fileOf('clean.wav', recordingOf('2026-11-05')))
    expect(await newest()).toContain('No measurable noise')
    // Columns that contain the colour of a tone that was heard, one for each slot.
    const marked = await page.$eval('#results canvas.tones', (canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const { data } = (canvas as HTMLCanvasElement)
        .getContext('2d')!
        .getImageData(0, 0, width, height)
      const columns = new Set<number>()
      for (let i = 0; i < data.length; i += 4)
        if (data[i] === 0x5f && data[i + 1] === 0xd7 && data[i + 2] === 0xae)
          columns.add(Math.floor(((i / 4) % width) / 4))
      return columns.size
    })
    expect(marked).toBe(273)
  })

  test('a page that is opened with a test vector decodes it at once', async () => {
    const service = await startTestService()
    const opened = await browser.newPage()
    await opened.goto(`${service.url}/transmissions/protocol`)
    await opened.click('text=noise.wav >> xpath=.. >> text=Open in the decoder')
    await opened.waitForSelector('#results article')
    expect(await opened.textContent('#results h2')).toBe('noise.wav')
    expect(await opened.textContent('#results')).not.toContain('Compare it')
    await opened.close()
  })

  test('when the decoder fails, the page states it and hides its progress', async () => {
    const service = await startTestService()
    const opened = await browser.newPage()
    await opened.goto(`${service.url}/transmissions/decode`)
    await opened.waitForSelector('#file:enabled')
    const [worker] = opened.workers()
    // The worker never reports a result, so that the file is still in progress when it fails.
    await worker?.evaluate(() => {
      globalThis.postMessage = () => {}
    })
    await opened.setInputFiles('#file', fileOf('day.wav', recordingOf('2026-11-19')))
    await opened.waitForSelector('#progress')
    await worker?.evaluate(() => {
      queueMicrotask(() => {
        throw new Error('out of memory')
      })
    })
    await opened.waitForSelector('text=The decoder stopped.')
    expect(await opened.isVisible('#progress')).toBe(false)
    expect(await opened.isVisible('#live')).toBe(false)
    await opened.close()
  })

  test('several transmissions share one time line, and a failure takes one row', async () => {
    await decode(fileOf('two.wav', vectorFile('two.wav')))
    expect(await newest()).toMatch(/2 transmissions, at \d+\.\d s, \d+\.\d s/)
    expect(await page.$$('#results > section:first-child canvas')).toHaveLength(3)
    await decode(fileOf('song.mp3', MP3))
    const height = await page.$eval(
      '#results > section.failed',
      (section) => section.getBoundingClientRect().height,
    )
    expect(height).toBeLessThan(60)
  })

  test('the page sends no request after it is loaded', () => {
    expect([requestsAfterLoad, complaints]).toEqual([[], []])
  })
})
