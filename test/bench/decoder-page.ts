// Measures the decoder page in Chromium: the number of its requests and their compressed size.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.ts'
import type { Part } from './main.ts'

export const benchDecoderPage: Part = async (stage) => {
  if (!HAS_CHROMIUM) return ['chromium is not installed']
  const { url } = await stage.startOurs(join(stage.folder, 'data'))
  const urls = await requestsOf(`${url}/transmissions/decode`)
  const weights = await Promise.all([...new Set(urls)].map(compressedSize))
  const bytes = weights.reduce((sum, weight) => sum + weight, 0)
  const detail = urls.map((each) => new URL(each).pathname.split('/').at(-1)).join(', ')
  return [
    { label: 'decoder page, requests', values: [urls.length], goal: { most: 6 }, detail },
    { label: 'decoder page, compressed [KB]', values: [bytes / 1000], goal: { most: 60 } },
  ]
}

/** Returns the addresses that a page and its workers request until the page can be used, in order. */
async function requestsOf(page: string): Promise<string[]> {
  const browser = await launchChromium()
  try {
    const context = await browser.newContext()
    const urls: string[] = []
    context.on('request', (request) => urls.push(request.url()))
    const tab = await context.newPage()
    await tab.goto(page, { waitUntil: 'networkidle' })
    await tab.waitForSelector('#file:enabled')
    return urls
  } finally {
    await browser.close()
  }
}

async function compressedSize(url: string): Promise<number> {
  const request = get(url, { headers: { 'accept-encoding': 'br, gzip' } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return (await buffer(response)).length
}
