// Starts the installed Chromium, for tests of pages in a browser.
import { type Browser, chromium } from 'playwright-core'
import { findProgram } from './programs.ts'

const executablePath = findProgram('chromium')

export const HAS_CHROMIUM = executablePath !== undefined

/** Starts Chromium without its sandbox, which needs privileges that containers lack. @param switches further ones */
export function launchChromium(switches: readonly string[] = []): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no chromium on PATH')
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...switches] })
}
