// The one way to sharp: with the project's own font and no other, so that text has the same pixels on every system.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type Sharp from 'sharp'
import { isSystemError, reasonOf } from '../../server/store/system-error.ts'
import { element, escaped, svgFile, text } from './svg.ts'

/** The fonts, as npm installed them. */
export const FONT_FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')),
  'ttf',
)

let loading: Promise<typeof Sharp> | undefined

/**
 * sharp, drawing text with DejaVu as npm installed it. fontconfig reads its settings once in a process, before the
 * first text: nothing else in this process may draw text by sharp.
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
    // A folder that fontconfig would put before every path.
    delete process.env.FONTCONFIG_SYSROOT
    const { default: sharp } = await import('sharp')
    // Once a letter is drawn, fontconfig has read all it needs.
    await sharp(svgFile(8, 8, text(0, 8, '0', { size: 8 })))
      .raw()
      .toBuffer()
    return sharp
  } catch (error) {
    // A disk that is full tells no name.
    if (!isSystemError(error)) throw error
    throw new Error(`${folder}: ${reasonOf(error)}`, { cause: error })
  } finally {
    delete process.env.FONTCONFIG_FILE
    await rm(folder, { recursive: true, force: true })
  }
}

/** The fonts' folder, a folder for fontconfig's cache, and no second look at either. */
function fontSettings(cache: string): string {
  return element(
    'fontconfig',
    {},
    element('dir', {}, escaped(FONT_FOLDER)) +
      element('cachedir', {}, escaped(cache)) +
      element('config', {}, element('rescan', {}, element('int', {}, '0'))),
  )
}
