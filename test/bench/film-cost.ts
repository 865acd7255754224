// Measures the CPU time of a film compared with plain encoding of the same frames, and its similarity to these frames.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FilmParts, prepareFilm, renderFilm } from '../../pipeline/render/film.ts'
import type { Ffmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { costOf } from './cpu.ts'

export interface FilmCost {
  /** CPU time of the film's ffmpeg, for each run [s]. */
  film: number[]
  /** CPU time of an ffmpeg that only encodes the same frames and the sound, for each run [s]. */
  bare: number[]
  /** Structural similarity (SSIM) of the film's frames to the uncompressed ones; 1 if they are identical. */
  ssim: number
}

/** Runs both in turns, so that other load on the machine affects both. */
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
