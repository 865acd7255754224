// The film of a day by the ffmpeg on PATH, its reproducibility with each ffmpeg, and its cost.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { filmCost } from '../../bench/film-cost.ts'
import { findProgram } from '../../support/programs.ts'
import { ACTIVE, pictureOf, wavOf } from './days.ts'
import { describeFilmsBy, testRepeatedFilmBy } from './films.ts'

const onPath = findProgram('ffmpeg')
const ours = onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath })

describeFilmsBy('the ffmpeg on PATH', ours)
testRepeatedFilmBy('the ffmpeg on PATH', ours)
testRepeatedFilmBy("npm's build of 2018", findFfmpeg({ PATH: '' }))

test.skipIf(ours === null)(
  'a film has an SSIM of 0.98 to its uncompressed frames',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daysignal-film-'))
    const parts = {
      snapshot: ACTIVE,
      picture: await pictureOf(ACTIVE),
      sound: wavOf(ACTIVE),
      folder,
    }
    const { ssim } = await filmCost(ours!, parts, 0).finally(() =>
      rmSync(folder, { recursive: true }),
    )
    expect(ssim).toBeGreaterThanOrEqual(0.98)
  },
  240_000,
)
