// The page that listens, in Chromium with a recording as its microphone: the day appears before the transmission ends,
// nothing is requested meanwhile, and every state has its sentence.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type DayFields,
  encodeFrame,
  encodeTransmission,
  writeWav,
} from '../../../protocol/index.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { noisy, padded, type Sound, soundOf } from '../../support/channel.ts'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { dayOf } from '../../support/payloads.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { elapse } from '../../support/time.ts'
import { makeArchive } from '../transmissions/archive.ts'

const DAY = '2026-11-19'
const folder = temporaryFolder()
const ffmpeg = findProgram('ffmpeg')

/** The numbers that makeArchive gives a day. */
const fieldsOf = (day: string) => dayOf(day, (i) => BigInt(i + 1))

const sound = soundOf(encodeTransmission(fieldsOf(DAY)))

/** Adds noise, and reduces the level to that of a microphone. */
function recorded(played: Sound): Uint8Array {
  const QUIET = 0.1
  const heard = noisy(played, 20, 32).map((sample) => sample * QUIET)
  return writeWav(Int16Array.from(heard, (sample) => sample * 0x7fff))
}

let url: string
let browser: Browser
beforeAll(async () => {
  const service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
  await makeArchive(service.archiveDir, [DAY])
  url = service.url
  if (HAS_CHROMIUM) browser = await launchChromium()
})

/** Opens a page, which is closed at the end of the test. */
async function newPage(): Promise<Page> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  return page
}

/** Opens the page in a browser with a microphone that records this file again and again. */
async function pageWith(wav: Uint8Array): Promise<Page> {
  const file = join(folder, `microphone-${wav.length}.wav`)
  writeFileSync(file, wav)
  const listening = await launchChromium([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
  ])
  return opened(await listening.newPage())
}

/**
 * Opens the page with a microphone that works as fast as the page, however busy the machine is. The page's states are
 * collected in `states`.
 * @param gap sound that is lost [s]
 */
async function pageThatHears(wav: Uint8Array, gap = { at: 0, seconds: 0 }): Promise<Page> {
  const page = await newPage()
  await page.addInitScript(replaceMicrophone, {
    base64: Buffer.from(wav.subarray(44)).toString('base64'),
    gap,
  })
  await opened(page)
  await page.evaluate(() => {
    const states: string[] = []
    const state = document.querySelector('#state') as HTMLElement
    new MutationObserver(() => states.push(state.textContent ?? '')).observe(state, {
      childList: true,
    })
    Object.assign(globalThis, { states })
  })
  return page
}

/** Runs in the page. */
function replaceMicrophone({
  base64,
  gap,
}: {
  base64: string
  gap: { at: number; seconds: number }
}): void {
  const [rate, batch] = [48_000, 4096]
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 2 ** 15)
  const track = { stop() {}, addEventListener() {}, getSettings: () => ({}) }
  const stream = { getTracks: () => [track], getAudioTracks: () => [track] }
  const send = (target: MessagePort) => {
    for (let at = 0; at + batch <= samples.length; at += batch) {
      const isLost = at >= gap.at * rate && at < (gap.at + gap.seconds) * rate
      const message = { samples: samples.slice(at, at + batch), at: ((at + batch) / rate) * 1000 }
      if (!isLost) target.postMessage(message)
    }
  }
  const port = { postMessage: (target: MessagePort | null) => target && send(target) }
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(stream as unknown as MediaStream)
  Object.assign(globalThis, {
    AudioContext: class {
      sampleRate = rate
      audioWorklet = { addModule: () => Promise.resolve() }
      createMediaStreamSource = () => ({ connect() {} })
      resume = () => Promise.resolve()
      close = () => Promise.resolve()
    },
    AudioWorkletNode: class {
      port = port
      connect() {}
    },
  })
}

async function opened(page: Page): Promise<Page> {
  await page.goto(`${url}/transmissions/listen`)
  await page.waitForSelector('#listen:enabled')
  return page
}

/** Waits until a sentence is shown. */
const shows = (page: Page, sentence: string, timeout = 60_000) =>
  page.waitForSelector(`text=${sentence}`, { timeout })

/** What the page states when the first day appears. */
const firstReading = (page: Page) =>
  page
    .waitForFunction(
      () => {
        const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? ''
        const card = textOf('#found article')
        return card && [card, textOf('#announcement'), textOf('#notes')]
      },
      undefined,
      { timeout: 120_000 },
    )
    .then((handle) => handle.jsonValue() as Promise<[string, string, string]>)

test.runIf(HAS_CHROMIUM)(
  'a day that is played appears at most 20 s after its start, without a request, and agrees with the archive',
  // It plays in real time: the audio thread of a browser on a busy machine loses sound, and the page says so.
  { retry: 2 },
  async () => {
    const page = await pageWith(recorded(padded(sound, 3, 9)))
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.click('#listen')
    await shows(page, 'Listening')
    const requests: string[] = []
    page.context().on('request', (request) => requests.push(request.url()))
    await shows(page, 'Hearing a transmission')
    const [card, announced] = await firstReading(page)
    expect(card).toContain(DAY)
    const seconds = Number(/certain after (\d+) s of 29/.exec(card)?.[1])
    expect(seconds).toBeGreaterThan(10)
    expect(seconds).toBeLessThanOrEqual(20)
    expect(announced).toBe(`Found the day ${DAY}.`)

    await shows(page, 'Read: 19 November, 1 message. Listening for the next one.')
    expect(await page.textContent('#found article')).not.toContain('still being sent')
    await page.click('#listen')
    await shows(page, '1 transmission read: 19 November, 1 message.')
    const download = page.waitForEvent('download')
    await page.click('#save')
    const saved = readFileSync(await (await download).path())
    expect(decodeWav(saved).transmissions.map(({ fields }) => fields.day)).toEqual([DAY])
    expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([])
    expect(complaints).toEqual([])

    const href = (await page.getAttribute('#found article a', 'href')) ?? ''
    await page.goto(`${url}/transmissions/${href}`)
    await shows(page, 'What you received is this day')
  },
)

test.runIf(HAS_CHROMIUM)('one joined in the middle is named, and its repetition read', async () => {
  const rest = sound.subarray(sound.length - 14 * 48_000) as Sound
  const repeated = padded(rest, 0, 2 + sound.length / 48_000 + 3)
  repeated.set(sound, rest.length + 2 * 48_000)
  const page = await pageThatHears(recorded(repeated))
  await page.click('#listen')
  const [card, , notes] = await firstReading(page)
  expect(card).toContain(DAY)
  expect(
    await page.evaluate(() => (globalThis as unknown as { states: string[] }).states),
  ).toContainEqual(
    expect.stringMatching(
      /^Hearing a transmission, 2\d s of 29\. Joined in the middle: the first 15 s were missed\./,
    ),
  )
  expect(notes).toContain('joined in the middle, and what was left of it is not enough')
  expect(notes).not.toContain('lost')
})

test.runIf(HAS_CHROMIUM)('lost samples are noticed, and the transmission is read', async () => {
  const page = await pageThatHears(recorded(padded(sound, 5, 3)), { at: 12, seconds: 3 })
  await page.click('#listen')
  const [card] = await firstReading(page)
  expect(card).toContain(DAY)
  expect(await page.textContent('#notes')).toContain('3.0 s of sound were lost')
})

test.runIf(HAS_CHROMIUM)('the page of a day compares a frame in its address', async () => {
  const page = await newPage()
  const verdictOn = async (frame: string) => {
    await page.goto('about:blank')
    await page.goto(`${url}/transmissions/${DAY}#frame=${frame}`)
    return page.textContent('.compared')
  }
  const hexOf = (fields: DayFields) => Buffer.from(encodeFrame(fields)).toString('hex')
  const fields = fieldsOf(DAY)
  const other = { ...fields, counters: { ...fields.counters, messages: 7n, reviews: 8n } }
  expect(await verdictOn(hexOf(fields))).toContain('all twelve numbers')
  expect(await verdictOn(hexOf(other))).toBe(
    'What you received differs from this page: Messages 7, here 1; Reviews 8, here 12.',
  )
  expect(await verdictOn(hexOf(fieldsOf('2026-11-18')))).toContain('is of 2026-11-18')
  expect(await verdictOn('00ff')).toContain('not valid')
})

describe.skipIf(!HAS_CHROMIUM)('without a microphone that works', () => {
  /** Opens the page after a script has changed the browser, and presses the button. */
  async function pressed(change: (name: string) => void, name = '') {
    const page = await newPage()
    await page.addInitScript(change, name)
    await opened(page)
    await page.focus('#listen')
    await page.keyboard.press('Enter')
    return page
  }

  test.each([
    ['NotAllowedError', 'The microphone was refused. Allow it'],
    ['NotFoundError', 'No microphone was found. Connect one'],
    ['NotReadableError', 'The microphone is busy. Close the program'],
    ['AbortError', 'The microphone could not be opened (why)'],
  ])('the page states what helps: %s', async (name, sentence) => {
    const page = await pressed((fault) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('why', fault))
    }, name)
    await shows(page, sentence)
    expect(await page.getAttribute('#fault', 'role')).toBe('alert')
    expect(await page.isEnabled('#listen')).toBe(true)
  })

  test('a browser without microphones is told to use another, or a recording', async () => {
    const page = await pressed(() => {
      Object.defineProperty(navigator, 'mediaDevices', { value: undefined })
    })
    await shows(page, 'This browser gives this page no microphone.')
  })

  test('filters that cannot be switched off do not keep the page from listening, silence and pauses are noticed, and the end too', async () => {
    const page = await pressed(() => {
      const Context = AudioContext
      const state = { contexts: [] as AudioContext[], tracks: [] as MediaStreamTrack[] }
      Object.assign(globalThis, {
        state,
        AudioContext: class extends Context {
          constructor() {
            super()
            state.contexts.push(this)
          }
        },
      })
      navigator.mediaDevices.getUserMedia = (constraints) => {
        if (constraints?.audio !== true)
          return Promise.reject(new DOMException('', 'OverconstrainedError'))
        const { stream } = new Context().createMediaStreamDestination()
        for (const track of stream.getAudioTracks()) {
          track.getSettings = () => ({ noiseSuppression: true })
          state.tracks.push(track)
        }
        return Promise.resolve(stream)
      }
    })
    interface Changed {
      state: { contexts: AudioContext[]; tracks: MediaStreamTrack[] }
    }
    await shows(page, 'This browser leaves its filters for voices on')
    await shows(page, 'no sound at all arrives. Is the microphone muted?')
    await page.evaluate(() => (globalThis as unknown as Changed).state.contexts[0]?.suspend())
    await elapse(1500, 'the sound of this time is lost')
    await page.evaluate(() => (globalThis as unknown as Changed).state.contexts[0]?.resume())
    await shows(page, 's of sound were lost')
    await page.evaluate(() => {
      const [track] = (globalThis as unknown as Changed).state.tracks
      track?.dispatchEvent(new Event('ended'))
    })
    await shows(page, 'The microphone was disconnected.')
    await shows(page, 'Nothing was read: the recording is silent')
  })
})

describe.skipIf(!HAS_CHROMIUM)('recordings', () => {
  test('the decoder names this page for a file that is no WAV', async () => {
    const page = await newPage()
    await page.goto(`${url}/transmissions/decode`)
    await page.waitForSelector('#file:enabled')
    const buffer = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(5000, 0x55)])
    await page.setInputFiles('#file', { name: 'song.mp3', mimeType: 'audio/mpeg', buffer })
    await page.click('#results a')
    expect(page.url()).toBe(`${url}/transmissions/listen`)
    await page.waitForSelector('#file:enabled')
    await page.setInputFiles('#file', { name: 'song.mp3', mimeType: 'audio/mpeg', buffer })
    await shows(page, 'this browser cannot open it as sound')
  })

  test.runIf(ffmpeg)('formats of phones and browsers are read, in mono and stereo', async () => {
    const page = await opened(await newPage())
    await page.context().setOffline(true)
    const wav = join(folder, 'played.wav')
    writeFileSync(wav, recorded(padded(sound, 1, 1)))
    const formats = { 'a.mp3': '1', 'a.m4a': '2', 'a.ogg': '1', 'a.webm': '2' }
    const files = Object.entries(formats).map(([name, channels]) => {
      const file = join(folder, name)
      execFileSync(ffmpeg as string, ['-v', 'error', '-i', wav, '-ac', channels, file])
      return file
    })
    await page.setInputFiles('#file', [...files, wav])
    await page.waitForFunction(
      () => document.querySelectorAll('#results h3').length === 5,
      undefined,
      {
        timeout: 120_000,
      },
    )
    expect(await page.locator('#results h3').allTextContents()).toEqual(new Array(5).fill(DAY))
  })

  test('a file that is too large is refused before it is read', async () => {
    const page = await opened(await newPage())
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      const part = new Uint8Array(2 ** 20)
      const file = new File(new Array(6).fill(part), 'long.m4a')
      file.arrayBuffer = () => Promise.reject(new Error('it was read'))
      transfer.items.add(file)
      return transfer
    })
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: dropped })
    await shows(page, 'the file has 6 MiB, and only WAV files may have more than 5')
  })
})
