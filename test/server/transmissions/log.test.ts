// Check files and the log of days over HTTP.
// Rules: API.md 9.7-9.8, 9.11.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { manifestName } from '../../../archive/format/paths.ts'
import { openTestLog, vkeyOf } from '../../archive/signing.ts'
import { whileAway, whileOverwritten } from '../../support/overwrite-file.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from './archive.ts'

const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19']

const clock = clockAt('2026-11-20T12:00:00Z')

const service = await startTestService({}, clock)
const dir: string = service.archiveDir
await makeArchive(dir, DAYS, { '2026-11-18': { media: { mp4: null } } })
const log = await openTestLog(dir)
await log.append(DAYS.slice(0, 2))

const get = (path: string, headers?: Record<string, string>) => service.client.get(path, headers)
const textOf = async (path: string) => (await get(path)).text
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const PLAIN = 'text/plain; charset=utf-8'

describe('check files', () => {
  test('the check file of a day lists the files that exist, with their hashes', async () => {
    const answer = await get('/transmissions/2026-11-18.sha256')
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers.get('content-type')).toBe(PLAIN)
    const lines = answer.text.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const [hash, name] = line.split('  ')
      expect(sha256(readFileSync(join(dir, '2026-11-18', name!)))).toBe(hash)
    }
    expect(lines.map((line) => line.split('.').at(-1))).toEqual(['json', 'json', 'wav', 'png'])
  })

  test('the check file of all days lists them in ascending order and marks a damaged day', async () => {
    const whole = await textOf('/transmissions/SHA256SUMS')
    const days = [...new Set(whole.split('\n').map((line) => line.slice(66, 76)))].filter(Boolean)
    expect(days).toEqual(DAYS)
    const path = join(dir, '2026-11-18', manifestName('2026-11-18'))
    await whileOverwritten(path, '{}', async () => {
      expect(await textOf('/transmissions/SHA256SUMS')).toBe(whole)
      clock.pass(1_000)
      const damaged = await textOf('/transmissions/SHA256SUMS')
      expect(damaged.split('\n').filter((line) => line.includes('2026-11-18'))).toEqual([
        '# 2026-11-18: damaged',
      ])
      expect((await get('/transmissions/2026-11-18.sha256')).status).toBe(503)
    })
    clock.pass(1_000)
    expect(await textOf('/transmissions/SHA256SUMS')).toBe(whole)
  })
})

describe('pages', () => {
  const page = async (path: string) => (await get(path, { accept: 'text/html' })).text

  test('the page of a day shows its check command, its entry in the log, and the checkpoint', async () => {
    const html = await page('/transmissions/2026-11-18')
    expect(html).toContain('\nsha256sum -c 2026-11-18.sha256</code>')
    expect(html).toContain('<a href="/transmissions/log">Entry 2 of 2</a>')
    expect(html).toContain(`archive.example/transmissions\n2\n`)
    expect(await page('/transmissions/2026-11-19')).toContain(
      '<dt>In the signed list of days</dt><dd>Not yet.</dd>',
    )
  })

  test('the page of all days shows the key', async () => {
    const [key = ''] = readFileSync(join(dir, 'key'), 'utf8').split('\n')
    expect(await page('/transmissions')).toContain(`<dd class="hash">${key}</dd>`)
    expect(await page('/transmissions?before=2026-11-19')).not.toContain(key)
  })

  test('pages show no log that none of the published keys has signed', async () => {
    const [key, note] = ['key', 'checkpoint'].map((name) => readFileSync(join(dir, name), 'utf8'))
    const shown = async () => {
      clock.pass(60_000)
      const html = await page('/transmissions')
      return [key, vkeyOf(9)].map((one) => html.includes(String(one).trim()))
    }
    expect(await shown()).toEqual([true, false])
    // Another checkpoint, since the log of one is read once.
    const unknown = `${note}\u2014 unknown.example ${'A'.repeat(96)}\n`
    await whileOverwritten(join(dir, 'key'), `${vkeyOf(9)}\n`, () =>
      whileOverwritten(join(dir, 'checkpoint'), unknown, async () => {
        expect(await shown()).toEqual([false, false])
      }),
    )
  })
})

describe('the log', () => {
  test.each(['log', 'checkpoint', 'key'])('GET %s returns the file', async (name) => {
    const answer = await get(`/transmissions/${name}`)
    expect(answer.text).toBe(readFileSync(join(dir, name), 'utf8'))
    expect(answer.headers.get('content-type')).toBe(PLAIN)
  })

  test.each(['log', 'checkpoint', 'key'])('a damaged %s is not sent', async (name) => {
    const path = join(dir, name)
    await whileOverwritten(path, readFileSync(path).subarray(0, -1), async () => {
      const answer = await get(`/transmissions/${name}`)
      expect(answer).toMatchObject({ status: 503, code: 'archive_unavailable' })
      expect(answer.headers.get('retry-after')).not.toBeNull()
    })
  })

  test('the pages say that the log is damaged, and show the days', async () => {
    const path = join(dir, 'log')
    const damaged = readFileSync(path, 'utf8').replace(/[0-9a-f]{8}/, '00000000')
    await whileOverwritten(path, damaged, async () => {
      const { status, text } = await get('/transmissions', { accept: 'text/html' })
      expect(status).toBe(200)
      expect(text).toContain('The signed list of days is damaged.')
    })
  })

  test('the log files return 404 before the log exists', async () => {
    const away = (name: string, work: () => Promise<void>) => whileAway(join(dir, name), work)
    await away('log', () =>
      away('checkpoint', () =>
        away('key', async () => {
          for (const name of ['log', 'checkpoint', 'key'])
            expect(await get(`/transmissions/${name}`)).toMatchObject({
              status: 404,
              code: 'not_found',
            })
        }),
      ),
    )
  })
})
