// verify compares log, checkpoint, key and manifests: what no row of damaged.json shows.
// Rules: FORMAT.md 12.5, 14.1-14.3, 15.5, 17.1.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { daySumsName, manifestName } from '../../../archive/format/paths.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { verified } from '../decoding.ts'
import { found } from '../findings.ts'
import { openTestLog, vkeyOf } from '../signing.ts'
import { archiveFixture, first, second, third } from './archive-fixture.ts'

const { overwrite, path, verify, writeDays } = archiveFixture()
const [FIRST, SECOND, LAST] = ['2026-11-17', '2026-11-18', '2026-11-19'] as const

const read = (name: string) => readFileSync(path(name), 'utf8')

it('an archive without a log verifies, unless a log is required', async () => {
  writeDays(first, second, third)
  const report = await verify()
  expect(report).toMatchObject({ ok: true, findings: [] })
  expect(report).not.toHaveProperty('log')
  const keys = [parseVkey(vkeyOf(1))]
  expect(found(await verify({ log: { pauseMs: 0, keys } }))).toEqual([
    'log_missing checkpoint',
    'log_missing log',
    'log_missing key',
  ])
})

it('the verifier reads a log again while a run is between two of its steps', async () => {
  const place = folderPlace(path())
  const log = read('log')
  let reads = 0
  const reading = place.read.bind(place)
  place.read = (name) => {
    if (name === 'log')
      overwrite('log', ++reads === 1 ? `${log}2026-11-20 ${'a'.repeat(64)}\n` : log)
    return reading(name)
  }
  const report = await verified(place, { quick: true })
  expect(report).toMatchObject({ ok: true, findings: [] })
  expect(reads).toBe(2)
})

it('a day whose manifest is not its newest leaf fails, and is reported last', async () => {
  for (const name of ['log', 'checkpoint']) rmSync(path(name))
  await (await openTestLog(path())).append([FIRST, SECOND])
  const manifest = `${FIRST}/${manifestName(FIRST)}`
  overwrite(manifest, read(manifest).replace('"5.1.9"', '"7"'))
  const heard: [string, boolean][] = []
  const onDay = ({ day, ok }: { day: string; ok: boolean }) => heard.push([day, ok])
  const { ok, days } = await verify({ quick: true, onDay })
  expect(heard).toEqual([
    [SECOND, true],
    [FIRST, false],
    [LAST, false],
  ])
  const codes = days.map(({ ok, findings }) => [ok, ...findings.map(({ code }) => code)])
  expect(codes).toEqual([[false, 'manifest_not_logged'], [true], [false, 'day_not_logged']])
  expect(ok).toBe(false)
})

it.each([
  ['shows no control characters', () => 'a\rb\u001b\u2028c\n', 'a\ufffdb\ufffd\ufffdc'],
  ['names an empty line', () => `${read('SHA256SUMS')}\n`, 'an empty line'],
  ['shows the beginning of a long one', () => 'x'.repeat(1_000_000), 'x'.repeat(160)],
])('the message about a wrong line of a derived file %s', async (_, content, shown) => {
  await writeSums(folderPlace(path()), new ArchiveReader(folderPlace(path())), true)
  overwrite('SHA256SUMS', content())
  const { findings } = await verify({ quick: true })
  expect(findings.map(({ message }) => message)).toEqual([`states ${shown}, which is wrong`])
})

it('a file with a name like a derived file is still reported as stray', async () => {
  writeFileSync(path(LAST, daySumsName(FIRST)), '')
  expect(found(await verify({ quick: true }))).toEqual([`stray ${LAST}/${daySumsName(FIRST)}`])
})
