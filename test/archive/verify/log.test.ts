// verify compares log, checkpoint, key and manifests: what no row of damaged.json shows.
// Rules: FORMAT.md 13.6, 16.1-16.3, 17.7, 19.1.
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { daySumsName, manifestName } from '../../../archive/format/paths.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import type { LogOptions } from '../../../archive/verify/log.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeDay, publish } from '../days.ts'
import { decode } from '../decoding.ts'
import { memoryKeeper, openTestLog, vkeyOf } from '../signing.ts'

const first = makeDay('2026-11-17', null)
const second = makeDay('2026-11-18', first)
const third = makeDay('2026-11-19', second)
const DAYS = [first, second, third].map(({ snapshot }) => snapshot.day)
const LAST = '2026-11-19'

/** The log, checkpoint and archive files from when there were two days. */
const earlier: Record<string, Buffer> = {}
let dir: string

const root = temporaryFolder()
const whole = join(root, 'whole')
const writer = await openWriter(whole, { create: true })
const keeper = memoryKeeper()
for (const day of [first, second, third]) {
  await publish(writer, day)
  const log = await openTestLog(whole, { keeper })
  await log.append([day.snapshot.day])
  if (day === second)
    for (const name of ['log', 'checkpoint']) earlier[name] = readFileSync(join(whole, name))
}
await writeSums(folderPlace(whole), new ArchiveReader(folderPlace(whole)), true)

beforeEach(() => {
  dir = mkdtempSync(join(root, 'copy-'))
  cpSync(whole, dir, { recursive: true })
})

const read = (name: string) => readFileSync(join(dir, name), 'utf8')
const remove = (name: string) => rmSync(join(dir, name), { recursive: true })

function write(name: string, content: string | Uint8Array): void {
  rmSync(join(dir, name), { force: true })
  writeFileSync(join(dir, name), content)
}

const verify = (options: LogOptions = {}): Promise<Report> =>
  verifyArchive(folderPlace(dir), { decode, log: { pauseMs: 0, ...options } })

/** All findings as "code file". */
async function found(options: LogOptions = {}): Promise<string[]> {
  const { findings, days } = await verify(options)
  const all = [...findings, ...days.flatMap((day) => day.findings)]
  return all.map(({ code, file }) => `${code} ${file}`)
}

describe('complete archives', () => {
  it('an archive without a log verifies, unless a log is required', async () => {
    for (const name of ['log', 'checkpoint', 'key', 'SHA256SUMS']) remove(name)
    const report = await verify()
    expect(report).toMatchObject({ ok: true, findings: [] })
    expect(report).not.toHaveProperty('log')
    expect(await found({ keys: [parseVkey(vkeyOf(1))] })).toEqual([
      'log_missing checkpoint',
      'log_missing log',
      'log_missing key',
    ])
  })
})

describe('logs', () => {
  it('the verifier reads a log again while a run is between two of its steps', async () => {
    const place = folderPlace(dir)
    const log = read('log')
    let reads = 0
    const reading = place.read.bind(place)
    place.read = (name) => {
      if (name === 'log' && ++reads === 1) write('log', `${log}2026-11-20 ${'a'.repeat(64)}\n`)
      else if (name === 'log') write('log', log)
      return reading(name)
    }
    const report = await verifyArchive(place, { decode, log: { pauseMs: 0 } })
    expect(report).toMatchObject({ ok: true, findings: [] })
    expect(reads).toBe(2)
  })
})

describe('manifests', () => {
  it('a day whose manifest is not its newest leaf fails, and is reported last', async () => {
    write('log', earlier.log!)
    write('checkpoint', earlier.checkpoint!)
    const changed = read(`${DAYS[0]}/${manifestName(DAYS[0]!)}`).replace('"5.1.9"', '"7"')
    write(`${DAYS[0]}/${manifestName(DAYS[0]!)}`, changed)
    const heard: [string, boolean][] = []
    const onDay = ({ day, ok }: { day: string; ok: boolean }) => heard.push([day, ok])
    const options = { quick: true, onDay, log: { pauseMs: 0 } }
    const { ok, days } = await verifyArchive(folderPlace(dir), options)
    expect(heard).toEqual([
      [DAYS[1], true],
      [DAYS[0], false],
      [LAST, false],
    ])
    const codes = days.map(({ ok, findings }) => [ok, ...findings.map(({ code }) => code)])
    expect(codes).toEqual([[false, 'manifest_not_logged'], [true], [false, 'day_not_logged']])
    expect(ok).toBe(false)
  })
})

describe('derived files', () => {
  it.each([
    ['shows no control characters', () => 'a\rb\u001b\u2028c\n', 'a\ufffdb\ufffd\ufffdc'],
    ['names an empty line', () => `${read('SHA256SUMS')}\n`, 'an empty line'],
    ['shows the beginning of a long one', () => 'x'.repeat(1_000_000), 'x'.repeat(160)],
  ])('the message about a wrong line %s', async (_, content, shown) => {
    write('SHA256SUMS', content())
    const { findings } = await verify()
    expect(findings.map(({ message }) => message)).toEqual([`states ${shown}, which is wrong`])
  })

  it('a file with a name like a derived file is still reported as stray', async () => {
    chmodSync(dir, 0o755)
    write(`${LAST}/${daySumsName(DAYS[0]!)}`, '')
    expect(await found()).toEqual([`stray ${LAST}/${daySumsName(DAYS[0]!)}`])
  })
})
