// verify over HTTP on an archive with a log, served by a service or a plain file server: complete, as a partial
// mirror, and by hostile servers.
// Rules: FORMAT.md 13.3, 13.6, 21.3; COMMANDS.md 4.4.
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { MIRROR_FILE } from '../../../archive/format/paths.ts'
import type { ClientOptions } from '../../../archive/http/client.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import type { LogOptions } from '../../../archive/verify/log.ts'
import { listen } from '../../support/listen.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { stallClock } from '../../support/stall-clock.ts'
import { filenameOf } from '../days.ts'
import { decode } from '../decoding.ts'
import { makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { memoryKeeper, ORIGIN, vkeyOf } from '../signing.ts'

const days = makeDays(3)
const LAST = '2026-11-03'
const keys = [parseVkey(vkeyOf(1))]

/** `log` and `checkpoint` from when there were two days. */
const earlier = { log: '', checkpoint: '' }

const root = temporaryFolder()
const service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
const dir = service.archiveDir
const keeper = memoryKeeper()
await publishSigned(dir, days.slice(0, 2), keeper)
for (const name of ['log', 'checkpoint'] as const)
  earlier[name] = readFileSync(join(dir, name), 'latin1')
await publishSigned(dir, days.slice(2), keeper)
const folder = await serveFolder(dir)

/** Changes a body, or sends the response itself and returns null. */
type Change = (text: string, response: ServerResponse) => string | null

/** Starts a proxy that changes the files of these names. */
async function tampered(origin: string, changes: Record<string, Change>): Promise<string> {
  const proxy = createServer((request, response) => {
    const path = request.url ?? ''
    const relay = async () => {
      const answer = await fetch(origin + path)
      const body = Buffer.from(await answer.arrayBuffer())
      const change = answer.ok ? changes[path.split('/').at(-1) ?? ''] : undefined
      const changed = change ? change(body.toString('latin1'), response) : body
      if (changed === null) return
      const type = answer.headers.get('content-type') ?? ''
      response.writeHead(answer.status, { 'content-type': type })
      response.end(changed as string, 'latin1')
    }
    relay().catch(() => response.destroy())
  })
  return (await listen(proxy)).url
}

async function verify(base: string, log: LogOptions = { keys }, timing: ClientOptions = {}) {
  const source = await openServed(base, { sleep: () => Promise.resolve(), ...timing })
  return verifyArchive(source, { decode, log: { pauseMs: 0, ...log } })
}

/** All findings as "code file", without the folder of the file. */
function found({ findings, days }: Report): string[] {
  const all = [...findings, ...days.flatMap((day) => day.findings)]
  return all.map(({ code, file }) => `${code} ${file.split('/').at(-1)}`)
}

describe.each(['service', ...(IN_FULL ? ['folder'] : [])])('a %s over HTTP', (kind) => {
  let origin: string
  beforeEach(() => {
    origin = kind === 'service' ? service.url : folder.url
  })

  test('an intact archive has no findings, and its log is reported', async () => {
    const report = await verify(origin)
    expect(found(report)).toEqual([])
    expect(report).toMatchObject({ ok: true, log: { origin: ORIGIN, size: 3, key_checked: true } })
    expect(report.days.map(({ day }) => day)).toEqual(['2026-11-01', '2026-11-02', LAST])
    expect(
      found(await verify(origin, { since: Buffer.from(earlier.checkpoint, 'latin1') })),
    ).toEqual([])
  })

  const endless = (response: ServerResponse) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      response.once('drain', more)
    }
    more()
    return null
  }
  const redirected = (response: ServerResponse) => {
    response.writeHead(302, { location: 'http://192.0.2.1/' }).end()
    return null
  }

  const clock = stallClock()
  const stalled = ({ socket }: ServerResponse) => {
    clock.hold(socket as Socket)
    return null
  }

  test.each<[string, Record<string, Change>, string]>([
    ['an endless log', { log: (_, response) => endless(response) }, 'too_large log'],
    ['a redirect for the log', { log: (_, response) => redirected(response) }, 'http_status log'],
    ['a log that stalls', { log: (_, response) => stalled(response) }, 'unreachable log'],
    [
      'an older log and checkpoint',
      { log: () => earlier.log, checkpoint: () => earlier.checkpoint },
      kind === 'service' ? `day_not_logged ${LAST}.manifest.json` : 'check_file_differs SHA256SUMS',
    ],
  ])('%s is reported', async (_, changes, expected) => {
    const report = await verify(await tampered(origin, changes), { keys }, clock)
    expect(found(report)).toContain(expected)
    expect(report.ok).toBe(false)
  })
})

describe('a partial mirror over HTTP', () => {
  test.each(['service', 'folder'])(
    'days and media that a %s does not select are a note and not missing',
    async (kind) => {
      const dir = join(root, kind)
      await prepareFolder(dir)
      const selection = { from: '2026-11-02', media: ['png' as const] }
      const client = { sleep: () => Promise.resolve() }
      await mirrorArchive({ source: folder.url, dir, selection, keys: null, jobs: 2, client })
      const { url } =
        kind === 'folder'
          ? await serveFolder(dir)
          : await startTestService({ ARCHIVE_DIR: dir }, clockAt('2026-11-20T12:00:00Z'))
      const report = await verify(url)
      expect(found(report)).toEqual([`not_selected ${MIRROR_FILE}`])
      expect(report).toMatchObject({ ok: true, log: { size: 3 } })
      expect(report.days.map(({ day }) => day)).toEqual(['2026-11-02', LAST])
      const picture = filenameOf(days[2]!, 'png')
      const damaged = await tampered(url, { [picture]: () => 'x' })
      expect(found(await verify(damaged))).toContain(`medium_hash ${picture}`)
    },
  )
})
