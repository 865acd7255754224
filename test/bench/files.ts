// Compares the smallest responses with bare node:http, which is the fixed cost of a request, and media files with nginx and its
// sendfile: one popular file, 40 files in turn, ranges and 304.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mediaUrl } from '../../archive/format/paths.ts'
import { ICON_FILE } from '../../server/pages/frame/brand.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { freePort } from '../support/listen.ts'
import { compare, type Load, type Loaded, type Pair, ratioRow, scripted } from './load.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import { type BenchServer, isInstalled, type Stage } from './servers.ts'

const FILES = 40
const WAV_BYTES = 2_800_000
const RANGES = `64 KiB of ${FILES} WAVs in turn, 16 connections / nginx`
const RANGE = `bytes=100000-${100_000 + 64 * 1024 - 1}`

interface BenchMedium {
  url: string
  /** The path within the archive's folder. */
  file: string
  etag: string
}

export const benchFiles: Part = async (stage) => {
  const archive = join(stage.folder, 'transmissions')
  const media = await makeMedia(archive)
  const ours = await stage.startOurs(join(stage.folder, 'data'), { ARCHIVE_DIR: archive })
  const [first] = media as [BenchMedium]
  const fixed = await fixedCosts(stage, ours, first)
  if (!isInstalled('nginx', '-v')) return [...fixed, 'nginx is not installed (Debian: nginx-light)']
  const nginx = await startNginx(archive, stage)
  const compareWith = (media: BenchMedium[], connections: number, range?: string): Pair[] => {
    const load = (paths: string[]) => scripted(stage.folder, connections, luaOver(paths, range))
    return compare(
      [ours, load(media.map(({ url }) => url))],
      [nginx, load(media.map(({ file }) => file))],
    )
  }
  const popular = compareWith([first], 8)
  const wavs = compareWith(media, 8)
  const ranges = compareWith(media, 16, RANGE)
  const notModified = compare(
    conditional(ours, first.url, first.etag),
    conditional(nginx, first.file, await etagOf(nginx, first.file)),
  )
  return [
    ...fixed,
    ratioRow('304 of one WAV / nginx', 'CPU', { most: 6 }, notModified),
    ratioRow('one WAV of 2.8 MB, 8 connections / nginx', 'MB/s', { least: 0.6 }, popular),
    ratioRow('one WAV of 2.8 MB, 8 connections / nginx', 'CPU', { most: 6 }, popular),
    ratioRow(`${FILES} WAVs in turn, 8 connections / nginx`, 'MB/s', { least: 0.6 }, wavs),
    ratioRow(`${FILES} WAVs in turn, 8 connections / nginx`, 'CPU', { most: 4 }, wavs),
    ratioRow(RANGES, 'requests/s', { least: 0.35 }, ranges),
    ratioRow(RANGES, 'CPU', { most: 5 }, ranges),
  ]
}

/** What the smallest responses cost. */
async function fixedCosts(stage: Stage, ours: BenchServer, wav: BenchMedium): Promise<Row[]> {
  const smallest: Load = { path: ICON_FILE.path, connections: 16 }
  const icon = join(stage.folder, 'icon')
  writeFileSync(icon, await (await fetch(ours.url + smallest.path)).bytes())
  const bare = compare([ours, smallest], [await stage.startBare('bare-node', [icon]), smallest])
  const notModified = compare(conditional(ours, wav.url, wav.etag), [ours, smallest])
  return [
    ratioRow('smallest route / bare node:http', 'CPU', { most: 1.3 }, bare),
    ratioRow('304 of a media file / smallest route', 'CPU', { most: 1.2 }, notModified),
  ]
}

const conditional = (server: BenchServer, path: string, etag: string): Loaded => [
  server,
  { path, connections: 16, headers: { 'If-None-Match': etag } },
]

const etagOf = async ({ url }: BenchServer, path: string): Promise<string> =>
  (await fetch(url + path, { method: 'HEAD' })).headers.get('etag') as string

async function makeMedia(archive: string): Promise<BenchMedium[]> {
  const days = Array.from({ length: FILES }, (_, i) =>
    new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
  )
  const contents = days.map((day) => [day, { media: { wav: randomBytes(WAV_BYTES) } }])
  const sealed = await makeArchive(archive, days, Object.fromEntries(contents))
  return [...sealed].map(([day, { manifest }]) => {
    const { wav } = manifest.media
    if (!wav.available) throw new Error('the sound is not available')
    const { filename, sha256 } = wav
    return { url: mediaUrl(day, filename), file: `/${day}/${filename}`, etag: `"${sha256}"` }
  })
}

/** A script for wrk that requests the paths in turn. */
const luaOver = (paths: string[], range?: string) => `
local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local i = 0
function request()
  i = i % #paths + 1
  return wrk.format('GET', paths[i]${range ? `, { ['Range'] = '${range}' }` : ''})
end
`

/** Starts one nginx process that serves the archive's files with sendfile. */
async function startNginx(archive: string, { folder, start }: Stage): Promise<BenchServer> {
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 1024; }
http {
  sendfile on; access_log off; keepalive_requests 1000000000;
  server { listen 127.0.0.1:${port}; root ${archive}; location = / { return 200; } }
}`,
  )
  return start('nginx', port, ['nginx', '-c', config])
}
