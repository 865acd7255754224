// An archive can outlive the program: nginx alone serves its folder to browsers, verify and mirrors.
// Rules: FORMAT.md 21.3.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { freePort } from '../../support/free-port.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openServed } from '../../support/served.ts'
import { until } from '../../support/time.ts'
import { decode } from '../decoding.ts'
import { filesIn, makeDays, publishSigned } from './signed-archive.ts'

const nginx = findProgram('nginx')
const days = makeDays(2)

let root: string
let server: ChildProcess
let base: string

/** Serves a folder with a configuration like that of a distribution. */
const configuration = (port: number) => `daemon off;
pid ${root}/nginx.pid;
error_log ${root}/error.log;
events {}
http {
  access_log off;
  types { text/html html; application/json json; image/png png; video/mp4 mp4; }
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${root}/temp;`).join('\n  ')}
  gzip on;
  gzip_types application/json text/plain;
  server { listen 127.0.0.1:${port}; root ${root}/served; }
}
`

beforeAll(async () => {
  if (!nginx) return
  root = temporaryFolder()
  // The workers of nginx may run as another user.
  chmodSync(root, 0o755)
  const archive = join(root, 'served', 'archive')
  mkdirSync(archive, { recursive: true })
  await publishSigned(archive, days)
  await writeSums(folderPlace(archive), folderReader(archive), true)
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  writeFileSync(join(root, 'nginx.conf'), configuration(port))
  server = spawn(nginx, ['-c', join(root, 'nginx.conf'), '-p', root], { stdio: 'ignore' })
  await until(() =>
    fetch(base).then(
      () => true,
      () => false,
    ),
  )
})
afterAll(async () => {
  if (!nginx) return
  const ended = once(server, 'exit')
  server.kill()
  await ended
})

async function mirror(from: string, name: string) {
  const dir = join(root, 'served', name)
  await prepareFolder(dir)
  const options = { source: `${base}/${from}`, dir, selection: {}, keys: null, jobs: 4 }
  return { dir, report: await mirrorArchive(options) }
}

describe.skipIf(!nginx)('an archive that nginx serves from its folder', () => {
  test('the archive verifies without findings', async () => {
    const report = await verifyArchive(await openServed(`${base}/archive`), { decode })
    expect(report).toMatchObject({ ok: true, findings: [], log: { size: 2 } })
    expect(report.days.flatMap(({ findings }) => findings)).toEqual([])
  })

  test('every link on the index page leads to a file', async () => {
    const page = await (await fetch(`${base}/archive/`)).text()
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(12)
    for (const path of links)
      expect((await fetch(`${base}/archive/${path}`, { method: 'HEAD' })).status, path).toBe(200)
  })

  test('a mirror of the archive verifies, and a mirror of that mirror is the same except for mirror.json', async () => {
    const first = await mirror('archive', 'mirror')
    expect(first.report).toMatchObject({ ok: true, updated: 2 })
    const second = await mirror('mirror', 'second')
    expect(second.report).toMatchObject({ ok: true, updated: 2 })
    const [one, other] = [filesIn(first.dir), filesIn(second.dir)]
    for (const files of [one, other]) files.delete('mirror.json')
    expect(other).toEqual(one)
    const report = await verifyArchive(await openServed(`${base}/second`), { decode })
    expect(report).toMatchObject({ ok: true, findings: [] })
    expect(readFileSync(join(second.dir, 'checkpoint'))).toEqual(
      readFileSync(join(root, 'served', 'archive', 'checkpoint')),
    )
  })
})
