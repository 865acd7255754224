// The text of the picture on a system without fonts.
// Rules: FORMAT.md 8.3; WRITING.md 1.10, 2.1.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL, inFull } from '../../support/runs.ts'
import { ACTIVE, pictureOf } from './days.ts'

const folder = temporaryFolder()

const RENDER = `
  const { renderPicture } = await import(${JSON.stringify(new URL('../../../pipeline/render/picture.ts', import.meta.url))})
  const { ACTIVE } = await import(${JSON.stringify(new URL('days.ts', import.meta.url))})
  const { createHash } = await import('node:crypto')
  const { bytes } = await renderPicture(ACTIVE)
  process.stdout.write(createHash('sha256').update(bytes).digest('hex'))`

/** Draws $TEXT with sharp as it is, without our fontconfig configuration. */
const RENDER_UNPREPARED = `
  const { default: sharp } = await import(${JSON.stringify(import.meta.resolve('sharp'))})
  const { createHash } = await import('node:crypto')
  const text = '<text y="40" font-family="DejaVu Sans Mono" font-size="40">' + process.env.TEXT + '</text>'
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="60">' + text + '</svg>'
  const bytes = await sharp(Buffer.from(svg)).png().toBuffer()
  process.stdout.write(createHash('sha256').update(bytes).digest('hex'))`

/** Folders in which fontconfig finds fonts and configuration by default. */
const FONT_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/etc/fonts']

/** Runs a script in its own mount namespace, in which an empty folder hides all system fonts. */
function withoutFonts(script: string, env: Record<string, string> = {}) {
  const cover = 'for d in $FOLDERS; do [ ! -d "$d" ] || mount --bind "$EMPTY" "$d" || exit 9; done'
  const run = `${cover}; exec "$NODE" --input-type=module -e "$SCRIPT"`
  return spawnSync('unshare', ['--mount', '--map-root-user', 'sh', '-c', run], {
    encoding: 'utf8',
    env: {
      ...childEnvironment(),
      HOME: join(folder, 'no-home'),
      EMPTY: folder,
      FOLDERS: FONT_FOLDERS.join(' '),
      NODE: process.execPath,
      SCRIPT: script,
      ...env,
    },
  })
}

const possible = spawnSync('unshare', ['--mount', '--map-root-user', 'true']).status === 0
if (!possible)
  console.error('skipping pictures without fonts: unshare cannot make a mount namespace')

test.runIf(IN_FULL && possible)('the picture is the same on a system without fonts', async () => {
  const here = createHash('sha256')
    .update(await pictureOf(ACTIVE))
    .digest('hex')
  const elsewhere = withoutFonts(RENDER)
  expect(elsewhere.stderr).toBe('')
  expect(elsewhere.stdout).toBe(here)
  const abroad = {
    LC_ALL: 'ja_JP.UTF-8',
    PANGO_LANGUAGE: 'ja',
    FONTCONFIG_SYSROOT: folder,
    FONTCONFIG_FILE: '/nowhere',
  }
  expect(withoutFonts(RENDER, abroad).stdout).toBe(here)
})

test.skipIf(!possible)('without our configuration sharp draws boxes for any text', () => {
  const [one, other] = ['1284', '5967'].map((TEXT) => withoutFonts(RENDER_UNPREPARED, { TEXT }))
  expect(one!.stdout).toMatch(/^[0-9a-f]{64}$/)
  expect(one!.stdout).toBe(other!.stdout)
})

/** Renders a day after emptying the font of its date, once sharp has read the folder; prints the error. */
const RENDER_WITHOUT_A_FONT = `
  const { FONT_FOLDER, loadSharp } = await import(${JSON.stringify(new URL('../../../pipeline/render/png.ts', import.meta.url))})
  const { renderDay } = await import(${JSON.stringify(new URL('../../../pipeline/sealing/publish.ts', import.meta.url))})
  const { renderPicture } = await import(${JSON.stringify(new URL('../../../pipeline/render/picture.ts', import.meta.url))})
  const { renderSound } = await import(${JSON.stringify(new URL('../../../pipeline/render/sound.ts', import.meta.url))})
  const { ACTIVE } = await import(${JSON.stringify(new URL('days.ts', import.meta.url))})
  const { spawnSync } = await import('node:child_process')
  await loadSharp()
  spawnSync('mount', ['--bind', '/dev/null', FONT_FOLDER + '/DejaVuSans-ExtraLight.ttf'])
  const signal = new AbortController().signal
  const tools = { ffmpeg: null, renderSound, renderPicture }
  const run = { signal, report: { progress() {} }, tools, archive: { workDir: '' } }
  const failure = await renderDay(run, ACTIVE).then(() => 'rendered', ({ message }) => message)
  process.stdout.write(failure)`

test.runIf(IN_FULL && possible)('a font that is lost while a day is rendered fails the day', () => {
  expect(withoutFonts(RENDER_WITHOUT_A_FONT).stdout).toBe(
    'the font DejaVuSans-ExtraLight.ttf is not the one of dejavu-fonts-ttf: run npm ci again',
  )
})

inFull('drawing leaves no font settings behind', () => {
  const temporary = mkdtempSync(join(folder, 'tmp-'))
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', RENDER], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary },
  })
  expect(stdout).toMatch(/^[0-9a-f]{64}$/)
  expect(readdirSync(temporary)).toEqual([])
})
