// Measures the CPU time of one day by stage, and compares its film with plain encoding of the same frames.
import { fileURLToPath } from 'node:url'
import { guessedBits } from '../../archive/drawing/erasure-list.ts'
import { dayOf } from '../../archive/format/paths.ts'
import { FRAME_RATE } from '../../pipeline/render/film-timeline.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { PICTURE } from '../../pipeline/render/layout.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { renderSound } from '../../pipeline/render/sound.ts'
import { POSITION_SLOTS, SLOTS } from '../../protocol/index.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { emptyDataDir } from './archive-days.ts'
import { YESTERDAY } from './boards.ts'
import { costOf, cpuSeconds } from './cpu.ts'
import { filmCost } from './film-cost.ts'
import type { Part } from './main.ts'
import { type Row, ratios } from './report.ts'

const COMMAND = fileURLToPath(new URL('../../pipeline/commands/snapshot.ts', import.meta.url))
const RUNS = 3

export const benchRender: Part = async ({ folder }) => {
  const stages: Row[] = [
    { label: 'one day: sound, CPU [s]', values: await cpuSeconds(RUNS, () => renderSound(ACTIVE)) },
    {
      label: 'one day: picture, CPU [s]',
      values: await cpuSeconds(RUNS, () => renderPicture(ACTIVE)),
    },
    {
      label: 'slots needed, for every prefix of a film, CPU [s]',
      values: await cpuSeconds(RUNS, guessAfterEveryPrefix),
      goal: { most: 0.3 },
    },
  ]
  const ffmpeg = findFfmpeg(process.env)
  if (ffmpeg === null) return [...stages, 'film and day need ffmpeg']
  return [await dayRow(folder), ...stages, ...(await filmRows(ffmpeg, folder))]
}

/** What a run does once, whatever the number of days. */
function guessAfterEveryPrefix(): void {
  for (let slots = 124; slots <= SLOTS; slots++) guessedBits((i) => POSITION_SLOTS[i]! < slots)
}

/** Measures `npm run snapshot` for one day, with all processes that it starts. */
async function dayRow(folder: string): Promise<Row> {
  const values: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const env = { PATH: process.env.PATH, DATA_DIR: await emptyDataDir(folder) }
    values.push(costOf(process.execPath, [COMMAND, '--day', dayOf(YESTERDAY)], env).cpu)
  }
  return { label: 'one day, all stages, CPU [s]', values, goal: { most: 6 } }
}

/** Compares the film's ffmpeg with one that only encodes the same frames, which it reads uncompressed. */
async function filmRows(ffmpeg: Ffmpeg, folder: string): Promise<Row[]> {
  const { bytes: picture } = await renderPicture(ACTIVE)
  const parts = { snapshot: ACTIVE, picture, sound: wavOf(ACTIVE), folder }
  const { film, bare, ssim } = await filmCost(ffmpeg, parts, RUNS)
  const { width, height } = PICTURE
  return [
    {
      label: 'film, CPU [s]',
      values: film,
      detail: `${width} x ${height}, ffmpeg ${ffmpeg.version}`,
    },
    { label: 'film, frames/s', values: [FRAME_RATE], goal: { least: 12.5 } },
    { label: 'film, height [px]', values: [height], goal: { least: 1080 } },
    {
      label: 'film / ffmpeg alone on the same frames, CPU',
      values: ratios(film, bare),
      goal: { most: 1.3 },
    },
    { label: 'film, SSIM against the uncompressed frames', values: [ssim], goal: { least: 0.98 } },
  ]
}
