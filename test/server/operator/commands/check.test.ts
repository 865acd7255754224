// Tests operator check: the database against the records of sealed days, and all texts against their hashes.
// Rules: FORMAT.md 18.5; COMMANDS.md 6.6.
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { manifestKey } from '../../../../archive/format/paths.ts'
import { takeSnapshot } from '../../../../pipeline/days/snapshot.ts'
import { eraseMessage } from '../../../../server/moderation/erase.ts'
import { moderate } from '../../../../server/moderation/queries.ts'
import { makeManifest } from '../../../archive/days.ts'
import { workshopForEach } from '../../../pipeline/workshop.ts'
import { operator } from '../../../support/operator.ts'
import { openWriter } from '../../../support/writers.ts'

const DAY = '2026-11-19'
const NOON = Date.parse(`${DAY}T12:00:00Z`)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const workshop = workshopForEach()
let garden: bigint
const ids: bigint[] = []

beforeEach(async () => {
  const { records, database, archiveDir } = workshop
  garden = await records.directory('garden', NOON)
  ids.length = 0
  for (const text of ['one', 'two', 'three']) {
    const id = await records.message(garden, NOON, text)
    await set(id, { body_hash: sha256(text) })
    ids.push(id)
  }
  const { snapshot } = await takeSnapshot(database, DAY, null, NOON + 86_400_000)
  const writer = await openWriter(archiveDir, { create: true })
  await writer.fixSnapshot(snapshot)
  await writer.seal(makeManifest(snapshot, {}))
})

const set = (id: bigint, values: { body?: string; body_hash?: string; author_label?: string }) =>
  workshop.database.write((tx) =>
    tx.updateTable('messages').set(values).where('id', '=', id).execute(),
  )

interface Finding {
  code: string
  file: string
  message: string
}

const run = (...options: string[]) => operator({ dataDir: workshop.dir }, ['check', ...options])

/** Runs the command. @returns the findings of the day, then those of the database */
async function check(): Promise<Finding[]> {
  const { code, out } = await run('--json')
  const { ok, days, findings } = JSON.parse(out) as {
    ok: boolean
    days: { day: string; ok: boolean; findings: Finding[] }[]
    findings: Finding[]
  }
  expect(days.map(({ day, ok, findings }) => [day, ok === (findings.length === 0)])).toEqual([
    [DAY, true],
  ])
  const all = [...days.flatMap((one) => one.findings), ...findings]
  expect([ok, code]).toEqual(
    all.every((one) => one.code === 'body_erased') ? [true, 0] : [false, 1],
  )
  return all
}

it('the check finds nothing in an unchanged database, hidden messages or not', async () => {
  expect(await check()).toEqual([])
  const hide = { act: 'hide', kind: 'message', id: ids[1]!, reason: 'r' } as const
  await workshop.database.write((tx) => moderate(tx, hide, NOON))
  expect(await check()).toEqual([])
})

it('the check names a day whose count, last id or root differs', async () => {
  await workshop.records.message(garden, NOON, 'late')
  const [records] = await check()
  expect(records).toMatchObject({ code: 'records_differ', file: DAY })
  expect(records?.message).toMatch(/^count is 4, but 3 was sealed; last_message_id is .*; root is /)
})

it('a day with a changed author label is reported by its root only', async () => {
  await set(ids[0]!, { author_label: 'Eve' })
  expect((await check())[0]?.message).toMatch(/^root is /)
})

it('the check names the first message whose text does not match its hash', async () => {
  await set(ids[1]!, { body: 'changed' })
  await set(ids[2]!, { body: 'changed' })
  expect(await check()).toEqual([
    { code: 'body_differs', file: `message ${ids[1]}`, message: expect.any(String) },
  ])
})

it('the check reports an erased text as a note, and no difference in the records of its day', async () => {
  const [, id = 0n] = ids
  await workshop.database.write((tx) =>
    moderate(tx, { act: 'hide', kind: 'message', id, reason: 'r' }, NOON),
  )
  await workshop.database.write((tx) => eraseMessage(tx, { id, reason: 'r' }, NOON))
  expect(await check()).toEqual([
    { code: 'body_erased', file: `message ${id}`, message: expect.any(String) },
  ])
})

it('the check does not report a text that is merely missing as erased', async () => {
  await set(ids[0]!, { body: '' })
  expect((await check()).map(({ code }) => code)).toEqual(['body_differs'])
})

it('a manifest that cannot be read is named with its code', async () => {
  writeFileSync(join(workshop.archiveDir, manifestKey(DAY)), '{}')
  expect(await check()).toEqual([
    { code: 'invalid_manifest', file: DAY, message: expect.any(String) },
  ])
})

it('without --json the command prints one line for each finding, and the reason of its exit code', async () => {
  expect(await run()).toEqual({ code: 0, out: '1 sealed day, of which 0 differ\n', err: '' })
  await set(ids[1]!, { body: 'changed' })
  await set(ids[0]!, { author_label: 'Eve' })
  const { code, out, err } = await run()
  expect([code, err]).toEqual([1, 'operator: the database is not what was sealed\n'])
  expect(out.split('\n')).toEqual([
    expect.stringMatching(`^records_differ ${DAY}: root is `),
    `body_differs message ${ids[1]}: its text does not have its body_hash`,
    '1 sealed day, of which 1 differ',
    '',
  ])
})

it('an archive without a sealed day fails', async () => {
  rmSync(join(workshop.archiveDir, DAY), { recursive: true })
  expect(await run()).toEqual({
    code: 1,
    out: '0 sealed days, of which 0 differ\n',
    err: 'operator: there is no sealed day to compare the database with\n',
  })
})
