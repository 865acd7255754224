// Verification of the proof of a message, from its text to the signed checkpoint, and the failure of each step.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { composeManifest } from '../../../archive/format/manifest.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { DayLeaves, messageLeafData, recordsOf } from '../../../archive/log/records.ts'
import { inclusionProof } from '../../../archive/log/tree.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { type Step, verifyMessage } from '../../../archive/verify/message.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { makeSnapshot } from '../days.ts'
import { openTestLog, vkeyOf } from '../signing.ts'

const DAY = '2026-11-19'
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const recorded = (id: number, text: string) => ({
  id: BigInt(id),
  directory: 'garden',
  bodyHash: sha256Of(Buffer.from(text)),
  receivedAt: `${DAY}T08:00:00.000Z`,
  publishAt: `${DAY}T08:00:00.000Z`,
  authorLabel: 'Ada',
  entry: null,
})
const messages = [recorded(3, 'three'), recorded(5, 'five'), recorded(8, 'eight')]
const record = {
  id: 5,
  directory: 'garden',
  body: 'five',
  body_hash: messages[1]!.bodyHash,
  author_label: 'Ada',
  received_at: `${DAY}T08:00:00.000Z`,
  publish_at: `${DAY}T08:00:00.000Z`,
}

let dir: string
let proof: Record<string, unknown>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'daysignal-message-'))
  const leaves = new DayLeaves()
  for (const message of messages) leaves.add(message)
  const sorted = leaves.sorted()
  const snapshot = { ...makeSnapshot(DAY), records: recordsOf(sorted) }
  const unavailable = { available: false, reason: 'render_failed' } as const
  const media = { wav: unavailable, mp4: unavailable, png: unavailable }
  const writer = await openWriter(dir, { create: true })
  await writer.stageSnapshot(snapshot)
  await writer.seal(composeManifest(snapshot, media, { node: '24', sharp: '0', ffmpeg: null }))
  await (await openTestLog(dir)).append([DAY])
  const hashes = inclusionProof(
    sorted.map(({ leaf }) => leaf),
    1,
  )
  proof = {
    message_id: 5,
    day: DAY,
    index: 1,
    count: 3,
    leaf: messageLeafData(messages[1]!),
    hashes: hashes.map((hash) => Buffer.from(hash).toString('hex')),
    root: snapshot.records.root,
    snapshot_sha256: sha256Of(snapshotBytes(snapshot)),
  }
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function stepsOf(
  changes: Record<string, unknown> = {},
  files: { message?: Uint8Array; text?: Uint8Array } = {},
  key?: string,
): Promise<Step[]> {
  const steps: Step[] = []
  const all = { proof: bytes({ ...proof, ...changes }), ...files }
  await verifyMessage(folderSource(dir), all, key ? [parseVkey(key)] : undefined, (step) =>
    steps.push(step),
  )
  return steps
}

const refusal = (steps: Step[]) => {
  const last = steps.at(-1) as Step
  expect(last.ok).toBe(false)
  return last.message
}

it('the verification of a message names each step, from the text to the key', async () => {
  const files = { message: bytes(record), text: Buffer.from('five') }
  const steps = await stepsOf({}, files, vkeyOf(1))
  expect(steps.every(({ ok }) => ok)).toBe(true)
  expect(steps.map(({ step }) => step)).toEqual([
    'text',
    'message',
    'root',
    'snapshot',
    'manifest',
    'log',
    'checkpoint',
    'key',
  ])
})

it('the verification of a message states that no key was given to check', async () => {
  expect((await stepsOf()).at(-1)).toMatchObject({
    ok: true,
    message: expect.stringContaining('the key itself was not checked'),
  })
})

it('the verification of a message refutes another text, another record and another key', async () => {
  expect(refusal(await stepsOf({}, { text: Buffer.from('six') }))).toMatch(/^the text/)
  const other = bytes({ ...record, author_label: 'Eve' })
  expect(refusal(await stepsOf({}, { message: other }))).toMatch(/^the record/)
  expect(refusal(await stepsOf({}, {}, vkeyOf(2)))).toMatch(/not signed by a known key/)
})

it.each([
  ['another index', { index: 0 }, /do not lead/],
  ['another number of leaves', { count: 4 }, /do not lead|other records/],
  ['another root', { root: 'a'.repeat(64) }, /do not lead/],
  ['another id', { message_id: 3 }, /of another message/],
  ['another snapshot', { snapshot_sha256: 'a'.repeat(64) }, /does not have the hash/],
  ['a day that is not archived', { day: '2026-11-18' }, /is missing/],
  ['a path for a day', { day: '../../etc' }, /is not one of a message/],
  ['an invalid hash', { hashes: ['x'] }, /is not one of a message/],
])('the verification of a message refutes a proof with %s', async (_, changes, message) => {
  expect(refusal(await stepsOf(changes))).toMatch(message)
})

it('the verification of a message refutes a proof that is not JSON', async () => {
  const steps: Step[] = []
  const files = { proof: Buffer.from('{') }
  expect(await verifyMessage(folderSource(dir), files, undefined, (s) => steps.push(s))).toBe(false)
  expect(refusal(steps)).toBe('the proof is not a JSON object')
})

it('the verification of a message refutes a manifest that is not in the log', async () => {
  const log = join(dir, 'log')
  const before = readFileSync(log, 'utf8')
  rmSync(log)
  writeFileSync(log, `${DAY} ${'a'.repeat(64)}\n`)
  expect(refusal(await stepsOf())).toMatch(/is not the newest leaf/)
  writeFileSync(log, before)
})
