// What a film costs next to its ffmpeg alone on the same frames, and how like these it is.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FilmParts, prepareFilm, renderFilm } from '../../pipeline/render/film.ts'
import type { Ffmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { costOf } from './cpu.ts'

export interface FilmCost {
  /** CPU of the film's ffmpeg, and of one that only encodes the same frames and the sound, run by run [s]. */
  film: number[]
  bare: number[]
  /** Likeness of the film's frames to the undistorted ones, 1 for the same. */
  ssim: number
}

/** Measures both in turns, so that what else the machine does falls on both. */
export async function filmCost(ffmpeg: Ffmpeg, parts: FilmParts, runs: number): Promise<FilmCost> {
  const { folder } = parts
  const [finished, frames] = [join(folder, 'film.mp4'), join(folder, 'frames.y4m')]
  await writeFile(finished, (await renderFilm(parts, { ffmpeg })).bytes)
  const job = await prepareFilm(parts)
  const run = (args: string[]) => costOf(ffmpeg.path, ['-y', '-nostdin', '-hide_banner', ...args])
  const inputs = job.inputs.flatMap(({ path }) => ['-i', path])
  const graph = ['-filter_complex', job.filter]
  const options = job.options.flatMap((option) => option.split(' '))
  run([...inputs.slice(0, -2), ...graph, '-map', '[video]', '-r', rateOf(options), frames])
  const sources = new Map([
    ['[video]', '0:v'],
    [audioOf(options), '1:a'],
  ])
  const fromFrames = options.map((word) => sources.get(word) ?? word)
  const cost: FilmCost = { film: [], bare: [], ssim: 0 }
  for (let i = 0; i < runs; i++) {
    cost.film.push(run([...inputs, ...graph, ...options, job.output]).cpu)
    cost.bare.push(run(['-i', frames, ...inputs.slice(-2), ...fromFrames, job.output]).cpu)
  }
  const compared = run(['-i', finished, '-i', frames, '-lavfi', 'ssim', '-f', 'null', '-'])
  cost.ssim = Number(/All:([\d.]+)/.exec(compared.stderr)?.[1])
  return cost
}

const rateOf = (options: string[]): string => options[options.indexOf('-r') + 1]!

const audioOf = (options: string[]): string => options.find((word) => /^\d+:a$/.test(word))!
