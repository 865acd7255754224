// The video of a day by the ffmpeg that npm brings, and what is left when none comes about.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { FfmpegError, findFfmpeg } from '../../../pipeline/render/ffmpeg.ts'
import { renderMp4 } from '../../../pipeline/render/mp4.ts'
import { renderPng } from '../../../pipeline/render/png.ts'
import { renderWav } from '../../../pipeline/render/wav.ts'
import { ACTIVE, samplesOf } from './days.ts'
import { describeVideosBy } from './videos.ts'

describeVideosBy("npm's build of 2018", findFfmpeg({ PATH: '' }))

test('nothing stays in the working folder, whether the video was made, failed or was stopped', async () => {
  const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })!
  const workDir = mkdtempSync(join(tmpdir(), 'daysignal-mp4-'))
  const wav = renderWav(fieldsOf(ACTIVE))
  const png = (await renderPng(ACTIVE, samplesOf(ACTIVE))).bytes
  const broken = renderMp4({ png: png.subarray(0, 3000), wav, ffmpeg, workDir })
  await expect(broken).rejects.toThrow(FfmpegError)
  expect(readdirSync(workDir)).toEqual([])
  const abort = new AbortController()
  const stopped = renderMp4({
    png,
    wav,
    ffmpeg,
    workDir,
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('told to stop')),
  })
  await expect(stopped).rejects.toThrow('told to stop')
  expect(readdirSync(workDir)).toEqual([])
  rmSync(workDir, { recursive: true })
})
