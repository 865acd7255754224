// The video of a day in a real browser.
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { renderFilm } from '../../../pipeline/render/film.ts'
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { listen } from '../../support/listen.ts'
import { temporaryFolder } from '../../support/release.ts'
import { partsIn } from './days.ts'

const folder = temporaryFolder()

/** @returns the address */
async function serveVideo(): Promise<string> {
  const { bytes } = await renderFilm(await partsIn(folder), {
    ffmpeg: findFfmpeg({ PATH: process.env.PATH ?? '' })!,
  })
  const server = createServer(({ url }, response) => {
    const video = url === '/day.mp4'
    response.setHeader('Content-Type', video ? 'video/mp4' : 'text/html')
    response.end(video ? bytes : '<video preload="auto"></video>')
  })
  return (await listen(server)).url
}

test.skipIf(!HAS_CHROMIUM)('Chromium plays a film, picture and sound', async () => {
  const url = await serveVideo()
  const browser = await launchChromium(['--autoplay-policy=no-user-gesture-required'])
  try {
    const page = await browser.newPage()
    await page.goto(url)
    const seen = await page.evaluate(async () => {
      const video = document.querySelector('video')!
      const event = (name: string) =>
        new Promise<void>((resolve, reject) => {
          video.addEventListener(name, () => resolve(), { once: true })
          video.addEventListener('error', () => reject(new Error(video.error?.message)))
        })
      // As a blob it is all there, and can be sought in without byte ranges.
      video.src = URL.createObjectURL(await (await fetch('day.mp4')).blob())
      await event('canplay')
      await video.play()
      while (video.currentTime < 0.5) await event('timeupdate')
      video.currentTime = 28.5
      await event('ended')
      const decoded = video as unknown as Record<string, number>
      return {
        duration: video.duration,
        size: [video.videoWidth, video.videoHeight],
        end: video.currentTime,
        audioBytes: decoded.webkitAudioDecodedByteCount!,
        videoBytes: decoded.webkitVideoDecodedByteCount!,
      }
    })
    expect(seen.duration).toBeCloseTo(29.2, 1)
    expect(seen.end).toBeCloseTo(seen.duration, 1)
    expect(seen.size).toEqual([1920, 1080])
    expect(seen.audioBytes).toBeGreaterThan(1000)
    expect(seen.videoBytes).toBeGreaterThan(1000)
  } finally {
    await browser.close()
  }
})
