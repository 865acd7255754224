// Starts the installed Chromium, for tests of pages in a browser.
import { type Browser, chromium } from 'playwright-core'
import { findProgram } from './programs.ts'
import { released } from './release.ts'

const executablePath = findProgram('chromium')

export const HAS_CHROMIUM = executablePath !== undefined

/**
 * Starts Chromium without its sandbox, which needs privileges that containers lack. It ends with the test or the file.
 * @param switches further ones
 */
export async function launchChromium(switches: readonly string[] = []): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no chromium on PATH')
  const args = ['--no-sandbox', ...switches]
  const browser = await chromium.launch({ executablePath, args })
  released(() => browser.close())
  return browser
}
