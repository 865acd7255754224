// The film of a day by the ffmpeg on PATH and the one that npm installs, its reproducibility with each, its cost, and the
// errors when rendering fails.
// Rules: WRITING.md 2.1, 4.1-4.2.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareFilm, renderFilm } from '../../../pipeline/render/film.ts'
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { partsIn } from './days.ts'
import { describeFilmsBy, testRepeatedFilmBy } from './films.ts'

const onPath = findProgram('ffmpeg')
const ours = onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath })

const folder = temporaryFolder()

describeFilmsBy('the ffmpeg on PATH', ours)
describeFilmsBy("npm's build of 2018", findFfmpeg({ PATH: '' }))
testRepeatedFilmBy('the ffmpeg on PATH', ours)
testRepeatedFilmBy("npm's build of 2018", findFfmpeg({ PATH: '' }))

test.skipIf(ours === null)(
  'a film has an SSIM of 0.98 to its uncompressed frames',
  async () => {
    const parts = await partsIn(folder)
    const [film, frames] = [join(folder, 'compared.mp4'), join(folder, 'frames.y4m')]
    writeFileSync(film, (await renderFilm(parts, { ffmpeg: ours! })).bytes)
    const { inputs, filter, options } = await prepareFilm(parts)
    const stills = inputs.slice(0, -1).flatMap((path) => ['-i', path])
    const rate = options.find((option) => option.startsWith('-r '))!.split(' ')
    runFfmpeg(...stills, '-filter_complex', filter, '-map', '[video]', ...rate, frames)
    const report = runFfmpeg('-i', film, '-i', frames, '-lavfi', 'ssim', '-f', 'null', '-')
    expect(Number(/All:([\d.]+)/.exec(report)?.[1])).toBeGreaterThanOrEqual(0.98)
  },
  240_000,
)

/** Runs the ffmpeg on PATH and returns what it reports. */
function runFfmpeg(...args: string[]): string {
  const run = spawnSync(ours!.path, ['-y', '-nostdin', '-hide_banner', ...args])
  expect(run.status, run.stderr.toString()).toBe(0)
  return run.stderr.toString()
}

test('a broken picture makes ffmpeg fail, and an abort rejects with its own reason', async () => {
  const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })!
  const parts = await partsIn(folder)
  const broken = renderFilm({ ...parts, picture: parts.picture.subarray(0, 3000) }, { ffmpeg })
  await expect(broken).rejects.toMatchObject({ name: 'FfmpegError', code: 'failed' })
  const abort = new AbortController()
  const onProgress = () => abort.abort(new Error('aborted by the test'))
  const stopped = renderFilm(parts, { ffmpeg, signal: abort.signal, onProgress })
  await expect(stopped).rejects.toThrow('aborted by the test')
})

test.runIf(existsSync('/dev/full'))(
  'a full disk is reported as a disk error, whatever ffmpeg reports',
  async () => {
    const full = join(folder, 'full')
    mkdirSync(full)
    symlinkSync('/dev/full', join(full, 'reserve'))
    const failing = join(folder, 'failing')
    writeFileSync(failing, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const made = renderFilm(await partsIn(full), { ffmpeg: { path: failing, version: '1' } })
    await expect(made).rejects.toMatchObject({ code: 'ENOSPC' })
  },
)
