// Compares an archive of ten years with one of a month: its lists, and the start of the service.
import { join } from 'node:path'
import { ARCHIVE_URL, INDEX_JSON_URL } from '../../archive/format/paths.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { boardOfMillion } from './boards.ts'
import { compare, ratioRow } from './load.ts'
import type { Part } from './main.ts'
import { startSeconds } from './start.ts'

const [MANY, FEW] = [3_650, 30]
const LISTS = {
  'list of transmissions': ARCHIVE_URL,
  'index.json of transmissions': INDEX_JSON_URL,
}
const STARTS = 5

export const benchLists: Part = async (stage) => {
  const { folder } = stage
  const archiveOf = async (count: number) => {
    const archive = join(folder, `archive-${count}`)
    const from = Date.UTC(2016, 0, 1)
    const days = Array.from({ length: count }, (_, i) =>
      new Date(from + i * 86_400_000).toISOString().slice(0, 10),
    )
    await makeArchive(archive, days)
    return archive
  }
  const [many, few] = [await archiveOf(MANY), await archiveOf(FEW)]
  const ofMany = await stage.startOurs(join(folder, 'many'), { ARCHIVE_DIR: many })
  const ofFew = await stage.startOurs(join(folder, 'few'), { ARCHIVE_DIR: few })
  const rows = Object.entries(LISTS).map(([name, path]) => {
    const load = { path, connections: 16 }
    const label = `${name}, ${MANY} days / ${FEW} days`
    return ratioRow(label, 'CPU', { most: 1.2 }, compare([ofMany, load], [ofFew, load]))
  })
  const dataDir = await boardOfMillion(stage)
  const starts: number[] = []
  await startSeconds(dataDir, { ARCHIVE_DIR: many })
  for (let run = 0; run < STARTS; run++)
    starts.push(await startSeconds(dataDir, { ARCHIVE_DIR: many }))
  const label = `start with ${MANY} days and 1,000,000 messages [s]`
  return [...rows, { label, values: starts, goal: { most: 1 } }]
}
