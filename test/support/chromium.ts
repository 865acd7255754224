// The Chromium of this machine, for the tests that look at pages as visitors do.
import { type Browser, chromium } from 'playwright-core'
import { findProgram } from './programs.ts'

const executablePath = findProgram('chromium')

export const HAS_CHROMIUM = executablePath !== undefined

/** Starts it without its sandbox, which needs rights that containers do not give. @param more switches */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no chromium on PATH')
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...more] })
}
