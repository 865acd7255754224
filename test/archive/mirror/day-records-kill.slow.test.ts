// Kills a mirror that keeps the records of the days at random moments, while its source hides, shows and erases: after the
// next run, what the source has hidden is in no file. Rules: COMMANDS.md 4.6.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { act, operated } from '../../support/operator.ts'
import { childEnvironment } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { elapse } from '../../support/time.ts'
import { mirrorFrom } from './signed-archive.ts'

const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
const PER_DAY = 40
const ROUNDS = 12

test(`after each of ${ROUNDS} rounds with a killed run, no file has a text that the source hides`, async () => {
  const root = temporaryFolder()
  const dir = join(root, 'mirror')
  const clock = clockAt(`${DAYS[0]}T00:00:01Z`)
  const service = await startTestService({}, clock)
  const publish = publisherOf(service.client)
  const chance = random(33)
  const textOf = (id: bigint) => `the words of number ${id} end here ${'.'.repeat(3_000)}`
  const ids: bigint[] = []
  await publish.directory('lab')
  for (const day of DAYS) {
    clock.passTo(`${day}T08:00:00Z`)
    for (let n = 0; n < PER_DAY; n += 1)
      ids.push(await publish.message('lab', textOf(BigInt(ids.length + 1))))
  }
  clock.passTo('2026-11-19T12:00:00Z')
  await sealDays(service.dataDir, DAYS, clock.now())
  const run = () => mirrorFrom(service.url, dir, { selection: { records: true } })
  expect(await run()).toMatchObject({ ok: true })
  const hidden = new Set<bigint>()
  const erased = new Set<bigint>()
  const change = async () => {
    const id = ids[Math.floor(chance.uniform() * ids.length)] as bigint
    if (erased.has(id)) return
    if (!hidden.has(id)) {
      await act(service, 'hide', 'message', id)
      hidden.add(id)
    } else if (chance.uniform() < 0.5) {
      await act(service, 'show', 'message', id)
      hidden.delete(id)
    } else {
      await operated(service, 'erase', 'message', String(id), '--reason', 'r')
      erased.add(id)
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let n = 0; n < 6; n += 1) await change()
    const killed = spawn(
      process.execPath,
      [join(import.meta.dirname, 'run-mirror.ts'), service.url, dir],
      { env: childEnvironment(), stdio: 'inherit' },
    )
    const ended = once(killed, 'exit')
    await elapse(200 + 900 * chance.uniform(), 'each kill comes at another moment')
    await change()
    killed.kill('SIGKILL')
    await ended
    await change()
    expect(await run()).toMatchObject({ ok: true, findings: [] })
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(dir, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path))
    const whole = Buffer.concat(files)
    const inFiles = ids.filter((id) => whole.includes(`the words of number ${id} end here`))
    expect(inFiles).toEqual(ids.filter((id) => !hidden.has(id)))
    expect(await verifyArchive(folderPlace(dir))).toMatchObject({ ok: true })
  }
}, 300_000)
