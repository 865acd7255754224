// Compares the smallest responses with bare node:http: the fixed cost of a request.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { mediaUrl } from '../../archive/format/paths.ts'
import { ICON_FILE } from '../../server/pages/frame/brand.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { compare, type Load, ratioRow } from './load.ts'
import type { Part } from './main.ts'

const SMALLEST: Load = { path: ICON_FILE.path, connections: 16 }
const DAY = '2026-01-01'

export const benchHttp: Part = async (stage) => {
  const archive = join(stage.folder, 'transmissions')
  const { wav } = await oneDay(archive)
  const ours = await stage.startOurs(join(stage.folder, 'data'), { ARCHIVE_DIR: archive })
  const icon = await (await fetch(ours.url + SMALLEST.path)).bytes()
  const bare = await stage.startBare(icon)
  const notModified = {
    path: mediaUrl(DAY, wav.filename),
    connections: 16,
    headers: { 'If-None-Match': `"${wav.sha256}"` },
  }
  return [
    ratioRow(
      'smallest route / bare node:http',
      'CPU',
      { most: 1.3 },
      compare([ours, SMALLEST], [bare, SMALLEST]),
    ),
    ratioRow(
      '304 of a media file / smallest route',
      'CPU',
      { most: 1.2 },
      compare([ours, notModified], [ours, SMALLEST]),
    ),
  ]
}

async function oneDay(archive: string) {
  const days = await makeArchive(archive, [DAY], {
    [DAY]: { media: { wav: randomBytes(100_000) } },
  })
  const { wav } = days.get(DAY)?.manifest.media ?? {}
  if (!wav?.available) throw new Error('the sound is not available')
  return { wav }
}
