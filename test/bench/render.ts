// Measures the CPU time of one day by stage, and compares its film with plain encoding of the same frames.
import { guessedBits } from '../../archive/drawing/erasure-list.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import { FRAME_RATE } from '../../pipeline/render/film-timeline.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { PICTURE } from '../../pipeline/render/layout.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import { renderSound } from '../../pipeline/render/sound.ts'
import { POSITION_SLOTS, SLOTS } from '../../protocol/index.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { boardOfMillion, MESSAGES_PER_DAY, YESTERDAY } from './boards.ts'
import { costOf, cpuSeconds } from './cpu.ts'
import { filmCost } from './film-cost.ts'
import type { Part } from './main.ts'
import { type Row, ratios } from './report.ts'
import { ROOT, type Stage } from './servers.ts'

const RUNS = 3
const DAY_RUNS = 6

export const benchRender: Part = async (stage) => {
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
  return [...(await dayRows(stage)), ...stages, ...(await filmRows(ffmpeg, stage.folder))]
}

/** What a run does once, whatever the number of days. */
function guessAfterEveryPrefix(): void {
  for (let slots = 124; slots <= SLOTS; slots++) guessedBits((i) => POSITION_SLOTS[i]! < slots)
}

/** Measures `npm run snapshot` for yesterday, with all processes that it starts. */
async function dayRows(stage: Stage): Promise<Row[]> {
  const [wall, cpu] = [[] as number[], [] as number[]]
  const words = ['run', '--silent', 'snapshot', '--prefix', ROOT, '--', '--day', dayOf(YESTERDAY)]
  for (let run = 0; run < DAY_RUNS; run++) {
    const env = { PATH: process.env.PATH, DATA_DIR: await boardOfMillion(stage) }
    const began = performance.now()
    cpu.push(costOf('npm', words, env).cpu)
    wall.push((performance.now() - began) / 1000)
  }
  const label = `npm run snapshot -- --day of yesterday, ${MESSAGES_PER_DAY} messages`
  return [
    { label: `${label} [s]`, values: wall, goal: { most: 6 } },
    { label: `${label}, CPU [s]`, values: cpu },
  ]
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
