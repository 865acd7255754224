// Seconds to make one day's files by stage, beside bare ffmpeg on the same picture and sound.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filmJob, playheadPng, renderFilm } from '../../pipeline/render/film.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { PICTURE, PLOT } from '../../pipeline/render/layout.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { TRANSMISSION_SECONDS } from '../../pipeline/render/sound.ts'
import { ACTIVE, samplesOf, wavOf } from '../pipeline/render/days.ts'

/**
 * Prints medians: the three stages, and below the video what ffmpeg alone takes, started without our code: with our
 * arguments, and with those that one finds first (both stills read anew for each frame, default threads).
 */
export async function benchRender(): Promise<void> {
  const ffmpeg = findFfmpeg(process.env)
  console.log(`one day: ${TRANSMISSION_SECONDS} s of sound, ${PICTURE.width} x ${PICTURE.height}`)
  const wav = wavOf(ACTIVE)
  const { bytes: png } = await renderPicture(ACTIVE, samplesOf(ACTIVE))
  await report('  sound (encode, WAV)', 9, () => wavOf(ACTIVE))
  await report('  picture (spectrogram, PNG)', 9, () => renderPicture(ACTIVE, samplesOf(ACTIVE)))
  if (ffmpeg === null) return console.log('  video: no ffmpeg')
  const folder = await mkdtemp(join(tmpdir(), 'daysignal-bench-'))
  try {
    const job = filmJob(folder)
    const files = [png, await playheadPng(), wav]
    for (const [i, { path }] of job.inputs.entries()) await writeFile(path, files[i]!)
    await report('  video (MP4)', 3, () => renderFilm({ picture: png, sound: wav, ffmpeg, folder }))
    await report('    bare ffmpeg, same arguments', 3, () => run(ffmpeg, sameArguments(folder)))
    await report('    bare ffmpeg, usual arguments', 3, () => run(ffmpeg, usualArguments(folder)))
    console.log(`  by ffmpeg ${ffmpeg.version}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function sameArguments(folder: string): string[] {
  const { inputs, filter, options, output } = filmJob(folder)
  const input = inputs.flatMap(({ path }) => ['-i', path])
  return [...input, '-filter_complex', filter, ...options.flatMap((o) => o.split(' ')), output]
}

function usualArguments(folder: string): string[] {
  const [picture, playhead, sound] = filmJob(folder).inputs.map(({ path }) => path)
  const still = (path: string) => ['-loop', '1', '-framerate', '25', '-i', path]
  const filter = `[0][1]overlay=x=${PLOT.x}+t*${PLOT.width}/${TRANSMISSION_SECONDS}:y=${PLOT.y}`
  const input = [...still(picture!), ...still(playhead!), '-i', sound!, '-filter_complex', filter]
  const end = ['-t', String(TRANSMISSION_SECONDS), '-pix_fmt', 'yuv420p']
  return [...input, ...end, join(folder, 'usual.mp4')]
}

function run(ffmpeg: Ffmpeg, args: string[]): void {
  const { status, stderr } = spawnSync(ffmpeg.path, ['-y', '-nostdin', ...args])
  if (status !== 0) throw new Error(`bare ffmpeg failed: ${stderr.toString().slice(-300)}`)
}

async function report(what: string, runs: number, work: () => unknown): Promise<void> {
  const seconds: number[] = []
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    await work()
    seconds.push((performance.now() - start) / 1000)
  }
  seconds.sort((a, b) => a - b)
  const median = seconds[runs >> 1]!.toFixed(2)
  const span = `${seconds[0]!.toFixed(2)} to ${seconds.at(-1)!.toFixed(2)}`
  console.log(`${what.padEnd(34)} ${median.padStart(6)} s  (${runs} runs, ${span})`)
}
