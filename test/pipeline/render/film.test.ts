// The film of a day by the ffmpeg that npm installs, and the errors when rendering fails.
// Rules: WRITING.md 2.1, 4.1-4.2.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { renderFilm } from '../../../pipeline/render/film.ts'
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { IN_FULL } from '../../support/runs.ts'
import { ACTIVE, pictureOf, wavOf } from './days.ts'
import { describeFilmsBy } from './films.ts'

const folder = mkdtempSync(join(tmpdir(), 'daysignal-film-'))
afterAll(() => rmSync(folder, { recursive: true }))

describeFilmsBy("npm's build of 2018", findFfmpeg({ PATH: '' }))

test.runIf(IN_FULL)(
  'a broken picture makes ffmpeg fail, and an abort rejects with its own reason',
  async () => {
    const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })!
    const parts = {
      snapshot: ACTIVE,
      picture: await pictureOf(ACTIVE),
      sound: wavOf(ACTIVE),
      folder,
    }
    const broken = renderFilm({ ...parts, picture: parts.picture.subarray(0, 3000) }, { ffmpeg })
    await expect(broken).rejects.toMatchObject({ name: 'FfmpegError', code: 'failed' })
    const abort = new AbortController()
    const onProgress = () => abort.abort(new Error('aborted by the test'))
    const stopped = renderFilm(parts, { ffmpeg, signal: abort.signal, onProgress })
    await expect(stopped).rejects.toThrow('aborted by the test')
  },
)

test.runIf(IN_FULL && existsSync('/dev/full'))(
  'a full disk is reported as a disk error, whatever ffmpeg reports',
  async () => {
    const full = join(folder, 'full')
    mkdirSync(full)
    symlinkSync('/dev/full', join(full, 'reserve'))
    const failing = join(folder, 'failing')
    writeFileSync(failing, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const made = renderFilm(
      {
        snapshot: ACTIVE,
        picture: await pictureOf(ACTIVE),
        sound: wavOf(ACTIVE),
        folder: full,
      },
      { ffmpeg: { path: failing, version: '1' } },
    )
    await expect(made).rejects.toMatchObject({ code: 'ENOSPC' })
  },
)
