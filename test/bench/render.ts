// One day by stage, and its film beside ffmpeg alone on the same frames.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareFilm, renderFilm } from '../../pipeline/render/film.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { renderSound } from '../../pipeline/render/sound.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { emptyDataDir } from './archive-days.ts'
import { costOf, cpuSeconds } from './cpu.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'

const COMMAND = fileURLToPath(new URL('../../pipeline/commands/snapshot.ts', import.meta.url))
const RUNS = 3

export const benchRender: Part = async ({ folder }) => {
  const stages: Row[] = [
    { what: 'one day: sound, CPU [s]', values: await cpuSeconds(RUNS, () => renderSound(ACTIVE)) },
    {
      what: 'one day: picture, CPU [s]',
      values: await cpuSeconds(RUNS, () => renderPicture(ACTIVE)),
    },
  ]
  const ffmpeg = findFfmpeg(process.env)
  if (ffmpeg === null) return [...stages, 'film and day need ffmpeg']
  return [await dayRow(folder), ...stages, ...(await filmRows(ffmpeg, folder))]
}

/** `npm run snapshot` for one day, with everything that it starts. */
async function dayRow(folder: string): Promise<Row> {
  const values: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const env = { PATH: process.env.PATH, DATA_DIR: await emptyDataDir(folder) }
    values.push(costOf(process.execPath, [COMMAND], env).cpu)
  }
  return { what: 'one day, all stages, CPU [s]', values, goal: { most: 6 } }
}

/** The film's ffmpeg against the one that only encodes the same frames, given to it undistorted. */
async function filmRows(ffmpeg: Ffmpeg, folder: string): Promise<Row[]> {
  const film = await makeFilm(ffmpeg, folder)
  const run = (args: string[]) => costOf(ffmpeg.path, ['-y', '-nostdin', '-hide_banner', ...args])
  const { whole, bare, frames, undistorted, frameRate } = film
  run(undistorted)
  const [ours, ratios] = [[] as number[], [] as number[]]
  for (let pair = 0; pair < RUNS; pair++) {
    const cost = run(whole).cpu
    ours.push(cost)
    ratios.push(cost / run(bare).cpu)
  }
  const compared = run(['-i', film.path, '-i', frames, '-lavfi', 'ssim', '-f', 'null', '-'])
  const ssim = Number(/All:([\d.]+)/.exec(compared.stderr)?.[1])
  const { width, height } = film
  return [
    {
      what: 'film, CPU [s]',
      values: ours,
      detail: `${width} x ${height}, ffmpeg ${ffmpeg.version}`,
    },
    { what: 'film, frames/s', values: [frameRate], goal: { least: 12.5 } },
    { what: 'film, height [px]', values: [height], goal: { least: 1080 } },
    { what: 'film / ffmpeg alone on the same frames, CPU', values: ratios, goal: { most: 1.3 } },
    { what: 'film, SSIM against the undistorted frames', values: [ssim], goal: { least: 0.98 } },
  ]
}

/** Makes a film and what it is compared with: files in the folder, and the arguments that make them. */
async function makeFilm(ffmpeg: Ffmpeg, folder: string) {
  const { bytes: picture } = await renderPicture(ACTIVE)
  const parts = { snapshot: ACTIVE, picture, sound: wavOf(ACTIVE), folder }
  const film = await renderFilm(parts, { ffmpeg })
  const path = join(folder, 'film.mp4')
  await writeFile(path, film.bytes)
  const job = await prepareFilm(parts)
  const inputs = job.inputs.flatMap(({ path }) => ['-i', path])
  const [stills, sound] = [inputs.slice(0, -2), inputs.slice(-2)]
  const options = job.options.flatMap((option) => option.split(' '))
  const rate = options[options.indexOf('-r') + 1]!
  const frames = join(folder, 'frames.y4m')
  const encoded = ['-i', frames, ...sound, ...options, join(folder, 'bare.mp4')]
  const fromFrames: Record<string, string> = { '[video]': '0:v', '3:a': '1:a' }
  return {
    path,
    frames,
    undistorted: [...stills, '-filter_complex', job.filter, '-map', '[video]', '-r', rate, frames],
    whole: [...inputs, '-filter_complex', job.filter, ...options, job.output],
    bare: encoded.map((word) => fromFrames[word] ?? word),
    frameRate: Number(rate),
    width: film.properties.width ?? 0,
    height: film.properties.height ?? 0,
  }
}
