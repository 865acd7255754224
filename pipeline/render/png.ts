// Renders drawings to PNG files with only the project's font, so that text has the same pixels on every system; with any other it fails.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type Sharp from 'sharp'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import { sha256Of } from '../../archive/format/hash.ts'
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

/** SHA-256 of the font files that svg.ts uses, by name; the bytes of a picture depend on them. */
const FONTS: Readonly<Record<string, string>> = {
  'DejaVuSans.ttf': '7da195a74c55bef988d0d48f9508bd5d849425c1770dba5d7bfc6ce9ed848954',
  'DejaVuSans-Bold.ttf': 'e6476c1b80502924294eed40894c5b18e06c181444ca953e5334262df9c27724',
  'DejaVuSans-ExtraLight.ttf': '6cb0746a1f68d176bebe83752cee35ebdf726cb1a1e88a01fc038ddf76de9ea8',
  'DejaVuSansCondensed.ttf': '8550cd5ca1acb65a8fc7877c46939cd0b4d909f8e7bc1e24716873d918c5e549',
}

/** A font is missing or different. A later run may succeed. */
export class FontError extends Error {}

/**
 * Renders a drawing to a PNG.
 * @param content that of the `svg` element
 * @param compressionLevel 0 to 9; it does not affect the pixels
 * @throws FontError that names the file
 */
export async function drawPng(
  width: number,
  height: number,
  content: string,
  compressionLevel: number,
): Promise<Buffer> {
  const sharp = await loadSharp()
  const bytes = await sharp(svgFile(width, height, content))
    .removeAlpha()
    .png({ compressionLevel })
    .toBuffer()
  // If it cannot read a font, sharp silently draws boxes or another face.
  await Promise.all(Object.entries(FONTS).map(([name, hash]) => checkFont(name, hash)))
  return bytes
}

async function checkFont(name: string, hash: string): Promise<void> {
  const path = join(FONT_FOLDER, name)
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new FontError(`the font ${name} cannot be read (${error.code}): run npm ci again`)
  })
  if (sha256Of(bytes) !== hash)
    throw new FontError(`the font ${name} is not the one of dejavu-fonts-ttf: run npm ci again`)
}
