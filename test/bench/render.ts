// One day by stage, its film next to bare ffmpeg, and thirty days on all cores next to one at a time.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dayOf, dayStart } from '../../archive/format/paths.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import { makeDays } from '../../pipeline/backfill.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { openDecoderPool } from '../../pipeline/decoder-pool.ts'
import { prepareFilm, renderFilm } from '../../pipeline/render/film.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { PICTURE } from '../../pipeline/render/layout.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { renderSound, TRANSMISSION_SECONDS } from '../../pipeline/render/sound.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { openStore } from '../../server/store/database.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { costOf, cpuSeconds, printRow } from './cpu.ts'

const COMMAND = fileURLToPath(new URL('../../pipeline/commands/snapshot.ts', import.meta.url))
const DAYS = 30
const GOALS = { day: 6, film: 1.3, ssim: 0.98, backfill: 0.6, verify: 0.6 }

/** Prints processor seconds and ratios, each with its goal, median and range. */
export async function benchRender(): Promise<void> {
  console.log(`one day: ${TRANSMISSION_SECONDS} s of sound, ${PICTURE.width} x ${PICTURE.height}`)
  printRow('sound, CPU [s]', await cpuSeconds(5, () => renderSound(ACTIVE)))
  printRow('picture, CPU [s]', await cpuSeconds(5, () => renderPicture(ACTIVE)))
  const ffmpeg = findFfmpeg(process.env)
  if (ffmpeg === null) return console.log('  film and days: no ffmpeg')
  const folder = await mkdtemp(join(tmpdir(), 'daysignal-bench-'))
  try {
    await benchFilm(ffmpeg, folder)
    await benchCommand(folder)
    await benchDays(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The film's ffmpeg against the one that only encodes the same frames, given to it undistorted. */
async function benchFilm(ffmpeg: Ffmpeg, folder: string): Promise<void> {
  const { bytes: picture } = await renderPicture(ACTIVE)
  const parts = { snapshot: ACTIVE, picture, sound: wavOf(ACTIVE), folder }
  printRow('stills of the film, CPU [s]', await cpuSeconds(5, () => prepareFilm(parts)))
  const film = await renderFilm(parts, { ffmpeg })
  await writeFile(join(folder, 'film.mp4'), film.bytes)
  const job = await prepareFilm(parts)
  const run = (args: string[]) => costOf(ffmpeg.path, ['-y', '-nostdin', '-hide_banner', ...args])
  const inputs = job.inputs.flatMap(({ path }) => ['-i', path])
  const [stills, sound] = [inputs.slice(0, -2), inputs.slice(-2)]
  const options = job.options.flatMap((option) => option.split(' '))
  const frames = join(folder, 'frames.y4m')
  run([...stills, '-filter_complex', job.filter, '-map', '[video]', '-r', rateOf(options), frames])
  const bare = ['-i', frames, ...sound, ...options, join(folder, 'bare.mp4')]
  const fromFrames = bare.map((word) =>
    word === '[video]' ? '0:v' : word === '3:a' ? '1:a' : word,
  )
  const [ours, ratios]: number[][] = [[], []]
  for (let pair = 0; pair < 3; pair++) {
    const whole = run([...inputs, '-filter_complex', job.filter, ...options, job.output]).cpu
    ours!.push(whole)
    ratios!.push(whole / run(fromFrames).cpu)
  }
  printRow('film, CPU [s]', ours!)
  printRow('film, CPU / ffmpeg alone on the same frames', ratios!, GOALS.film)
  const compared = run([
    '-i',
    join(folder, 'film.mp4'),
    '-i',
    frames,
    '-lavfi',
    'ssim',
    '-f',
    'null',
    '-',
  ])
  printRow(
    'film, SSIM against the undistorted frames (at least)',
    [Number(/All:([\d.]+)/.exec(compared.stderr)?.[1])],
    GOALS.ssim,
  )
  console.log(`  by ffmpeg ${ffmpeg.version}`)
}

const rateOf = (options: string[]): string => options[options.indexOf('-r') + 1]!

/** `npm run snapshot` for one day, with everything that it starts. */
async function benchCommand(folder: string): Promise<void> {
  const costs: number[] = []
  for (let run = 0; run < 3; run++) {
    const dataDir = await emptyDataDir(folder)
    costs.push(
      costOf(process.execPath, [COMMAND], { PATH: process.env.PATH, DATA_DIR: dataDir }).cpu,
    )
  }
  printRow('one day, all stages, CPU [s]', costs, GOALS.day)
}

async function benchDays(folder: string): Promise<void> {
  const cores = availableParallelism()
  const one = await emptyDataDir(folder)
  const all = await emptyDataDir(folder)
  const single = await secondsOf(() => backfill(one, 1))
  const together = await secondsOf(() => backfill(all, cores))
  printRow(`${DAYS} days on ${cores} cores / one at a time`, [together / single], GOALS.backfill)
  const source = () => folderSource(join(all, 'transmissions'))
  const ratios: number[] = []
  for (let pair = 0; pair < 3; pair++) {
    const inOne = await secondsOf(() => verifyArchive(source()))
    const pool = openDecoderPool(cores)
    const { decode } = pool
    const inAll = await secondsOf(() => verifyArchive(source(), { decode, daysAtOnce: cores + 2 }))
    await pool.close()
    ratios.push(inAll / inOne)
  }
  printRow(`verify ${DAYS} days on ${cores} cores / in one thread`, ratios, GOALS.verify)
}

async function backfill(dataDir: string, rendersAtOnce: number): Promise<void> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const config = readPipelineConfig(env, process.versions, rendersAtOnce)
  const context = { now: Date.now, signal: new AbortController().signal, onProgress() {} }
  await withPipeline(config, context, async (pipeline) => {
    await makeDays(pipeline, lastDays(pipeline.now()), ({ day, status, message }) => {
      if (status !== 'published') throw new Error(`${day} ${status}: ${message}`)
    })
  })
}

/** The days before today, ascending. */
function lastDays(now: number): string[] {
  const today = dayStart(dayOf(now))
  return Array.from({ length: DAYS }, (_, i) => dayOf(today - (DAYS - i) * 86_400_000))
}

async function emptyDataDir(folder: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  await (await openStore(join(dataDir, 'daysignal.sqlite'), { create: true })).close()
  return dataDir
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}
