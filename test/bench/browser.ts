// Compares the decoder's time in Chromium with the same modules in Node, on files of 40 s, in turns.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { decodeWav } from '../../protocol/receiver/index.ts'
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.ts'
import { whiteNoise } from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'
import { median } from './report.ts'

const TRIALS = 9
const EB_N0_DB = 3

export async function surveyBrowser(): Promise<void> {
  if (!HAS_CHROMIUM) return
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.evaluate(await decoderForBrowser())
    await run(page)
  } finally {
    await browser.close()
  }
}

async function run(page: Page): Promise<void> {
  const times = { node: [] as number[], chromium: [] as number[] }
  for (let trial = 0; trial < TRIALS; trial++) {
    const { sound } = sent(trial)
    const wav = whiteNoise(sound, trial, EB_N0_DB)
    const started = performance.now()
    const { transmissions } = decodeWav(wav)
    times.node.push(performance.now() - started)
    const { ms, found } = await decodeInPage(page, Buffer.from(wav).toString('base64'))
    times.chromium.push(ms)
    if (found !== transmissions.length) throw new Error('Chromium and Node differ')
  }
  const [node, inChromium] = [median(times.node), median(times.chromium)]
  console.log(`decoding in white noise at ${EB_N0_DB} dB, medians of ${TRIALS} files`)
  console.log(`  Node      ${node.toFixed(0)} ms`)
  console.log(
    `  Chromium  ${inChromium.toFixed(0)} ms  (${(inChromium / node).toFixed(2)} of Node)`,
  )
}

/** Bundles the receiver as a script that assigns it to a global variable. */
async function decoderForBrowser(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../protocol/receiver/index.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'globalThis.protocol',
    write: false,
  })
  return outputFiles[0]!.text
}

function decodeInPage(page: Page, base64: string): Promise<{ ms: number; found: number }> {
  return page.evaluate((text) => {
    const { protocol } = globalThis as unknown as {
      protocol: typeof import('../../protocol/receiver/index.ts')
    }
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    const started = performance.now()
    const { transmissions } = protocol.decodeWav(bytes)
    return { ms: performance.now() - started, found: transmissions.length }
  }, base64)
}
