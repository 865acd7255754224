// Renders drawings to PNG files, and fails rather than draw text with any other font than the project's.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Of } from '../../archive/format/hash.ts'
import { FONT_FOLDER, loadSharp } from './font.ts'
import { svgFile } from './svg.ts'

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
