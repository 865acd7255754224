// The page of days and the operator's status say how many witnesses have signed the log, and which know another one.
// Rules: WRITING.md 5.1, 5.5.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SettingError } from '../../../archive/base/terminal.ts'
import { parseNote } from '../../../archive/log/note.ts'
import { readConfig } from '../../../server/config.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { witnessMemory } from '../../../server/database/settings/settings.ts'
import { system } from '../../../server/system/system.ts'
import { makeDays, publishSigned } from '../../archive/mirror/signed-archive.ts'
import { vkeyOf } from '../../archive/signing.ts'
import { operator } from '../../support/operator.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { startWitness, type Witness } from '../../support/witness.ts'

const NOW = '2026-11-03T12:00:00Z'
const clock = clockAt(NOW)

let folder: string
let file: string
let witnesses: [Witness, Witness]
let service: TestService

beforeAll(async () => {
  folder = temporaryFolder()
  file = join(folder, 'policy')
  witnesses = [await startWitness('w/1', 2, vkeyOf(1)), await startWitness('w/2', 3, vkeyOf(1))]
  const [one, two] = witnesses
  const lines = `witness w1 ${one.vkey} ${one.url}\nwitness w2 ${two.vkey} ${two.url}\n`
  writeFileSync(file, `${lines}group q all w1 w2\nquorum q\n`)
  service = await startTestService({ WITNESS_POLICY: file, SCHEDULE: 'off' }, clock)
  await publishSigned(service.archiveDir, makeDays(2))
  for (const witness of witnesses) witness.now = Date.parse(NOW) / 1000
})
afterAll(async () => {
  for (const witness of witnesses) await witness.close()
})

/** Adds the lines of witnesses to the checkpoint of the archive. */
function sign(...signing: Witness[]): void {
  const path = join(service.archiveDir, 'checkpoint')
  const note = readFileSync(path, 'utf8')
  const { text } = parseNote(Buffer.from(note))
  overwriteFile(path, note + signing.map((witness) => witness.cosign(text)).join(''))
}

const page = async () => (await service.client.get('/transmissions', { accept: 'text/html' })).text
const status = (...args: string[]) =>
  operator(service, ['status', ...args], { clock, env: { WITNESS_POLICY: file } })

test('a log that too few witnesses have signed has no quorum, and one that enough have signed has', async () => {
  sign(witnesses[1])
  expect(await page()).toContain('<dt>Witnesses</dt><dd>signed, 1 of 2 witnesses; no quorum</dd>')
  expect((await status()).out).toMatch(/^witnesses +signed, 1 of 2 witnesses; no quorum$/m)
  sign(witnesses[0])
  await service.restart()
  expect(await page()).toContain('<dt>Witnesses</dt><dd>signed, 2 of 2 witnesses</dd>')
  expect(JSON.parse((await status('--json')).out).log.witnesses).toBe('signed, 2 of 2 witnesses')
})

test('without a policy neither says anything of witnesses', async () => {
  const { out } = await operator(service, ['status'], { clock })
  expect(out).toMatch(/^witnesses +none asked$/m)
})

test('status names a witness that claims to know another log', async () => {
  const options = { clock: system.clock, create: false, dataDir: service.config.dataDir }
  const database = await openDatabase(service.config.database, options)
  const at = Date.parse('2026-11-03T10:00:00Z')
  const claim = { name: 'w1', at, message: 'knows 9 leaves of this log, which has 2', fork: 'note' }
  await database.write((tx) =>
    witnessMemory.write(tx, { sizes: {}, claims: { 'w/1+00000000': claim } }),
  )
  await database.close()
  expect((await status()).out).toContain(
    'Witness w1 claims to know another log, since 2026-11-03 10:00:00: it knows 9 leaves of this log, which has 2, and shows a signed checkpoint that the log does not continue.',
  )
  expect(JSON.parse((await status('--json')).out).claims).toEqual([
    { witness: 'w1', at: '2026-11-03T10:00:00.000Z', message: claim.message, checkpoint: 'note' },
  ])
})

test.each([
  ['does not exist', null, 'no such file or folder'],
  ['breaks a rule', () => 'quorum none\nquorum none\n', 'line 2: is a second quorum line'],
  [
    'has an address that is not one of a witness',
    () => `witness w1 ${witnesses[0].vkey} ftp://w\nquorum none\n`,
    'line 1: the address must be an http or https address, as in https://example.org',
  ],
])('a WITNESS_POLICY that %s is a wrong setting', (_, content, message) => {
  const path = join(folder, 'other')
  rmSync(path, { force: true })
  if (content) writeFileSync(path, content())
  const read = () => readConfig({ WITNESS_POLICY: path })
  expect(read).toThrow(SettingError)
  expect(read).toThrow(`WITNESS_POLICY: ${path}: ${message}`)
})
