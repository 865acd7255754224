// Witnesses that claim to know another log: one alone stops nothing, a signed fork stops signing.
// Rules: WRITING.md 5.4.
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { LOG_CHECKPOINT } from '../../../server/data/restored.ts'
import { witnessMemory, writeSetting } from '../../../server/database/settings/settings.ts'
import { forge } from '../../archive/forger.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { ALL, answerWith, SIZE, signersOf, statuses, witnessedRun } from './witnessed-run.ts'

const at = witnessedRun()
const { checkpoint, path, policyText, publishDay, run } = at

test.each([
  ['a size above ours', 409, '9\n'],
  ['422', 422, ''],
])('%s is a claim, which alone stops nothing and is remembered', async (_, status, body) => {
  await publishDay()
  answerWith(at.witnesses[0], status, body, SIZE)
  const ran = await run()
  expect(statuses(ran)).toEqual(['claims', 'signed', 'signed'])
  expect(Object.values((await witnessMemory.read(at.workshop.database.db)).claims)).toMatchObject([
    { name: 'w1', at: at.workshop.clock.now, fork: null },
  ])
  await publishDay()
  expect(statuses(await run())).toEqual(['claims', 'signed', 'signed'])
  at.witnesses[0].tamper = null
  expect(statuses(await run())).toEqual(['signed'])
  expect((await witnessMemory.read(at.workshop.database.db)).claims).toEqual({})
})

test.each([
  ['with this size', '1\n', SIZE],
  ['with nothing, as for another root of the same size', '', {}],
])('409 to a request from our size is a claim, %s', async (_, body, headers) => {
  await publishDay()
  at.witnesses[0].tamper = (request, response, sent) => {
    if (request.method !== 'POST') return false
    const isFirst = sent.startsWith('old 0')
    response.writeHead(409, isFirst ? SIZE : headers).end(isFirst ? '1\n' : body)
    return true
  }
  expect(statuses(await run())).toEqual(['claims', 'signed', 'signed'])
  expect(at.witnesses[0].requests.slice(0, 2)).toEqual(['old 0', 'old 1'])
  expect(at.witnesses[0].requests).toHaveLength(3)
})

test('so many claims that the others are no quorum stop signing, until they are taken out', async () => {
  await publishDay()
  for (const witness of at.witnesses.slice(0, 2)) answerWith(witness, 422, '')
  await expect(run()).rejects.toThrow(/^without the witnesses that claim .* \(w1, w2\)/)
  const before = checkpoint()
  await publishDay()
  await expect(run()).rejects.toThrow(/^without the witnesses that claim/)
  expect(checkpoint()).toBe(before)
  await run(policyText([3], 'group q 1'))
  expect(checkpoint()).toMatch(/^.*\n2\n/)
})

test('a history that a key of the log has signed stops signing, until that log is restored', async () => {
  await publishDay()
  await run()
  const older = checkpoint()
  await publishDay()
  await run()
  const lost = join(at.workshop.dir, 'lost')
  cpSync(at.workshop.archiveDir, lost, { recursive: true })
  const restore = (note: string) =>
    at.workshop.database.write((tx) => writeSetting(tx, LOG_CHECKPOINT, note))
  // The operator restores older copies, and the second day is made again, otherwise.
  const edit = (snapshot: Snapshot) => Object.assign(snapshot.counters, { messages: '9' })
  await forge(at.workshop.archiveDir, '2026-11-02', { snapshot: edit }, 'replaced')
  const [line = ''] = readFileSync(path('log'), 'utf8').split(/(?<=\n)/)
  overwriteFile(path('log'), line)
  overwriteFile(path('checkpoint'), older)
  await restore(older)
  await expect(run()).rejects.toThrow(/^witness w1 shows a signed checkpoint of 2 leaves/)
  const stopped = checkpoint()
  await publishDay()
  await expect(run()).rejects.toThrow(/^witness w1 shows a signed checkpoint of 2 leaves/)
  expect(checkpoint()).toBe(stopped)
  rmSync(at.workshop.archiveDir, { recursive: true })
  cpSync(lost, at.workshop.archiveDir, { recursive: true })
  await restore(readFileSync(path('checkpoint'), 'utf8'))
  await run()
  await publishDay()
  expect(statuses(await run())).toEqual(['signed', 'signed', 'signed'])
  expect(signersOf(checkpoint())).toEqual(ALL)
})
