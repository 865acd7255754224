// A day of a made-up next version, whose snapshot has a property more: this version names the version, and reads the other
// days as before.
// Rules: FORMAT.md 1.5.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forge } from '../../archive/forger.ts'
import { ROOT } from '../../support/imports.ts'
import { temporaryFolder } from '../../support/release.ts'
import { startTestService } from '../../support/service.ts'
import { verified } from '../decoding.ts'

const [EARLIER, LAST] = ['2026-11-19', '2026-11-20']
const VERSIONS = [
  'manifest: manifest_version: is 2, and this program reads versions up to 1',
  'snapshot: protocol_version: is 2, and must be 1',
]

/** The sample archive, whose last day is as the next version would have sealed it. */
async function sealedByNext(): Promise<string> {
  const dir = join(temporaryFolder(), 'transmissions')
  cpSync(join(ROOT, 'archive/vectors/sample'), dir, { recursive: true })
  const snapshot = (sealed: object) =>
    Object.assign(sealed, { protocol_version: 2, weather: 'ice' })
  const manifest = (sealed: object) => Object.assign(sealed, { manifest_version: 2 })
  await forge(dir, LAST, { snapshot, manifest }, 'replaced')
  return dir
}

test('a day with a property that only a next version knows is reported with its version, and the others verify', async () => {
  const dir = await sealedByNext()
  const { days, findings, log } = await verified(dir)
  expect(findings).toEqual([])
  expect(log?.size).toBe(5)
  const reported = days
    .filter(({ ok }) => !ok)
    .map((one) => [one.day, ...one.findings.map(({ message }) => message)])
  expect(reported).toEqual([[LAST, ...VERSIONS]])
})

test('a service answers 503 for that day, and shows the others', async () => {
  const { client } = await startTestService({ ARCHIVE_DIR: await sealedByNext() })
  for (const path of [
    '/transmissions',
    `/transmissions/${EARLIER}`,
    `/transmissions/${EARLIER}.json`,
  ])
    expect([path, (await client.get(path)).status]).toEqual([path, 200])
  const { status, message } = await client.get(`/transmissions/${LAST}.json`)
  expect([status, message]).toEqual([503, expect.stringContaining('or of a later version')])
})
