// The choice of ffmpeg, and the errors for one that is not usable.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import * as finding from '../../../pipeline/render/find-ffmpeg.ts'

const { findFfmpeg } = finding
const folder = mkdtempSync(join(tmpdir(), 'daysignal-ffmpeg-'))
afterAll(() => rmSync(folder, { recursive: true }))

const GOOD_ENCODERS = ' V..... libx264 x\\n A..... aac x'

/** Creates a folder with a shell script named ffmpeg that reports this version and these encoders. */
function impostor(name: string, version: string, encoders = GOOD_ENCODERS): string {
  return script(name, `echo 'ffmpeg version ${version} Copyright' >&2; printf '${encoders}\\n'`)
}

function script(name: string, body: string, mode = 0o755): string {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'ffmpeg'), `#!/bin/sh\n${body}\n`)
  chmodSync(join(folder, name, 'ffmpeg'), mode)
  return join(folder, name)
}

test('FFMPEG_PATH comes before PATH, and an empty one is ignored', () => {
  const named = impostor('named', 'N')
  const onPath = impostor('on-path', 'P')
  const path = join(named, 'ffmpeg')
  expect(findFfmpeg({ FFMPEG_PATH: path, PATH: onPath })).toEqual({ path, version: 'N' })
  expect(findFfmpeg({ FFMPEG_PATH: '', PATH: onPath })?.version).toBe('P')
})

test.each([
  ['a missing file', () => join(folder, 'nowhere'), 'does not run (no such file)'],
  [
    'a file that is not executable',
    () => script('mode', '', 0o644),
    'does not run (not executable)',
  ],
  ['another program', () => script('other', 'echo hello'), 'is not an ffmpeg'],
  ['an ffmpeg that fails', () => script('fails', 'exit 1'), 'is not an ffmpeg'],
  [
    'an ffmpeg without H.264',
    () => impostor('free', '6', ' A..... aac x'),
    'has no encoder libx264',
  ],
])('a one-line error names FFMPEG_PATH when it is %s', (_what, make, why) => {
  const made = make()
  const path = made.endsWith('nowhere') ? made : join(made, 'ffmpeg')
  const good = impostor('fallback', 'F')
  const expected = new Error(`FFMPEG_PATH: ${path} ${why}`)
  expect(() => findFfmpeg({ FFMPEG_PATH: path, PATH: good })).toThrow(expected)
})

test('the first ffmpeg on PATH that runs and has the encoders is used', () => {
  const folders = [
    join(folder, 'nowhere'),
    script('broken', 'exit 1'),
    impostor('bare', '1', ' V..... mpeg4 x'),
    impostor('right', '2'),
    impostor('late', '3'),
  ]
  expect(findFfmpeg({ PATH: folders.join(delimiter) })).toEqual({
    path: join(folder, 'right', 'ffmpeg'),
    version: '2',
  })
})

test('the build that npm installs is used when PATH has no ffmpeg', () => {
  const found = findFfmpeg({ PATH: join(folder, 'nowhere') })
  expect(found?.path).toContain('@ffmpeg-installer')
  expect(found?.version).not.toBe('')
})

/** Loads the module under test from a project with no package but an ffmpeg-static that exports this path. */
async function findIn(project: string, downloaded: string | null): Promise<typeof findFfmpeg> {
  const modules = join(folder, project, 'node_modules')
  mkdirSync(join(modules, 'ffmpeg-static'), { recursive: true })
  const source = new URL('../../../', import.meta.url).pathname
  copyFileSync(
    join(source, 'pipeline/render/find-ffmpeg.ts'),
    join(folder, project, 'find-ffmpeg.ts'),
  )
  writeFileSync(
    join(modules, 'ffmpeg-static/index.js'),
    `module.exports = ${JSON.stringify(downloaded)}`,
  )
  const module = (await import(
    pathToFileURL(join(folder, project, 'find-ffmpeg.ts')).href
  )) as typeof finding
  return module.findFfmpeg
}

test('the search returns null if there is no ffmpeg, even if ffmpeg-static is installed without its download', async () => {
  const find = await findIn('bare-project', join(folder, 'nowhere'))
  expect(find({ PATH: '' })).toBeNull()
  expect(find({})).toBeNull()
})

test('the download of ffmpeg-static comes before PATH', async () => {
  const find = await findIn('downloaded', join(impostor('static', 'S'), 'ffmpeg'))
  expect(find({ PATH: impostor('on-path', 'P') })?.version).toBe('S')
})
