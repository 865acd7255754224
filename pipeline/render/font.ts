// Loads sharp with only the project's font, so that text has the same pixels on every system.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type Sharp from 'sharp'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import { element, escaped, svgFile, text } from './svg.ts'

/** The fonts that npm installed. */
export const FONT_FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')),
  'ttf',
)

let loading: Promise<typeof Sharp> | undefined

/**
 * Loads sharp so that it draws text with the DejaVu that npm installed. fontconfig reads its configuration once per
 * process, before the first text, so nothing else in this process may draw text with sharp.
 */
export function loadSharp(): Promise<typeof Sharp> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<typeof Sharp> {
  const folder = await mkdtemp(join(tmpdir(), 'daysignal-fonts-'))
  try {
    const settings = join(folder, 'fonts.conf')
    await writeFile(settings, fontSettings(folder))
    process.env.FONTCONFIG_FILE = settings
    // fontconfig would prepend this folder to every path.
    delete process.env.FONTCONFIG_SYSROOT
    const { default: sharp } = await import('sharp')
    // Draw a letter so that fontconfig reads everything it needs now.
    await sharp(svgFile(8, 8, text(0, 8, '0', { size: 8 })))
      .raw()
      .toBuffer()
    return sharp
  } catch (error) {
    // The error of a full disk does not name a path.
    if (!isSystemError(error)) throw error
    throw new Error(`${folder}: ${reasonOf(error)}`, { cause: error })
  } finally {
    delete process.env.FONTCONFIG_FILE
    await rm(folder, { recursive: true, force: true })
  }
}

/** A fontconfig configuration with only our fonts, a cache folder, and no rescanning. */
function fontSettings(cache: string): string {
  return element(
    'fontconfig',
    {},
    element('dir', {}, escaped(FONT_FOLDER)) +
      element('cachedir', {}, escaped(cache)) +
      element('config', {}, element('rescan', {}, element('int', {}, '0'))),
  )
}
