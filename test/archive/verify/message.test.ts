// Verification of the proof of a message, from its text to the signed checkpoint, and the failure of each step.
// Rules: FORMAT.md 1.4; COMMANDS.md 1.2.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringifyJson } from '../../../archive/base/json.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { composeManifest } from '../../../archive/format/manifest.ts'
import { eachKind } from '../../../archive/format/media.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import {
  DayLeaves,
  messageLeafData,
  type RecordedMessage,
  recordsOf,
} from '../../../archive/log/records.ts'
import { StoredTree } from '../../../archive/log/stored-tree.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyMessage } from '../../../archive/verify/message.ts'
import type { Step } from '../../../archive/verify/steps.ts'
import { openWriter } from '../../support/writers.ts'
import { makeSnapshot } from '../days.ts'
import { resign } from '../forger.ts'
import { openTestLog, vkeyOf } from '../signing.ts'

const DAY = '2026-11-19'
const bytes = (value: unknown) => Buffer.from(stringifyJson(value))
const recorded = (id: bigint, text: string): RecordedMessage => ({
  id,
  directory: 'garden',
  bodyHash: sha256Of(Buffer.from(text)),
  receivedAt: `${DAY}T08:00:00.000Z`,
  publishAt: `${DAY}T08:00:00.000Z`,
  authorLabel: 'Ada',
  entry: null,
  salt: null,
})
/** The first id that a double cannot hold. */
const LARGE_ID = 2n ** 53n + 1n
const messages = [
  recorded(3n, 'three'),
  recorded(5n, 'five'),
  {
    ...recorded(LARGE_ID, 'eight'),
    entry: {
      investigationId: 1n,
      kind: 'attempt',
      title: null,
      sources: '[]',
      links: `[{"message_id":${LARGE_ID - 1n},"relation":"extends"}]`,
    },
  },
]
const record = {
  id: 5,
  directory: 'garden',
  body: 'five',
  body_hash: messages[1]!.bodyHash,
  author_label: 'Ada',
  received_at: `${DAY}T08:00:00.000Z`,
  publish_at: `${DAY}T08:00:00.000Z`,
}

/** The contribution as in its investigation. */
const entry = {
  message_id: LARGE_ID,
  investigation_id: 1n,
  kind: 'attempt',
  body: 'eight',
  body_hash: messages[2]!.bodyHash,
  author_label: 'Ada',
  received_at: `${DAY}T08:00:00.000Z`,
  publish_at: `${DAY}T08:00:00.000Z`,
  sources: [],
  links: [{ message_id: LARGE_ID - 1n, relation: 'extends' }],
}

let dir: string
let proof: Record<string, unknown> & { leaf: string }
/** The proof of the contribution. */
let ofEntry: Record<string, unknown>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'daysignal-message-'))
  const leaves = new DayLeaves()
  for (const message of messages) leaves.add(message)
  const sorted = leaves.sorted()
  const { counters, ...others } = makeSnapshot(DAY)
  const records = recordsOf(sorted)
  const snapshot = { ...others, counters: { ...counters, messages: records.count }, records }
  const unavailable = { available: false, reason: 'render_failed' } as const
  const media = eachKind(() => unavailable)
  const writer = await openWriter(dir, { create: true })
  await writer.fixSnapshot(snapshot)
  await writer.seal(composeManifest(snapshot, media, { node: '24', sharp: '0', ffmpeg: null }))
  await (await openTestLog(dir)).append([DAY])
  const proofAt = (index: number) => ({
    message_id: messages[index]!.id,
    day: DAY,
    index,
    count: 3,
    leaf: messageLeafData(messages[index]!),
    hashes: StoredTree.of(sorted.map(({ leaf }) => leaf))
      .proofOf(index)
      .map((hash) => Buffer.from(hash).toString('hex')),
    root: snapshot.records.root,
    snapshot_sha256: sha256Of(snapshotBytes(snapshot)),
  })
  proof = proofAt(1)
  ofEntry = proofAt(2)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function stepsOf(
  changes: Record<string, unknown> = {},
  files: { message?: Uint8Array; text?: Uint8Array } = {},
  key?: string,
): Promise<Step[]> {
  const steps: Step[] = []
  const all = { proof: bytes({ ...proof, ...changes }), ...files }
  await verifyMessage(folderPlace(dir), all, key ? [parseVkey(key)] : undefined, (step) =>
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

it('properties of a proof or a record that the verifier does not know are ignored', async () => {
  const files = { message: bytes({ ...record, mood: 'cheerful' }) }
  const steps = await stepsOf({ receipt: null, hint: { a: [1] } }, files)
  expect(steps.filter(({ ok }) => !ok)).toEqual([])
  expect(steps).toHaveLength(7)
})

it('the verification of a message rejects a day that the log names twice', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'daysignal-twice-'))
  cpSync(dir, copy, { recursive: true })
  const log = parseLog(readFileSync(join(copy, 'log')))
  await resign(copy, [...log, ...log])
  const steps: Step[] = []
  const files = { proof: bytes(proof) }
  await verifyMessage(folderPlace(copy), files, undefined, (step) => steps.push(step))
  rmSync(copy, { recursive: true })
  expect(refusal(steps)).toMatch(/manifest\.json: lines 1 and 2 of log name the same manifest/)
})

it('the verification of a message states that no key was given to check', async () => {
  expect((await stepsOf()).at(-1)).toMatchObject({
    ok: true,
    message: expect.stringContaining('the key itself was not checked'),
  })
})

it('the verification of a message refutes another text, another record and another key', async () => {
  expect(refusal(await stepsOf({}, { text: Buffer.from('six') }))).toMatch(/^the text/)
  for (const [change, message] of [
    [{ author_label: 'Eve' }, /^the record of the message does not give the leaf/],
    [{ body: 'six' }, /^the body in the record does not have its body_hash/],
    [{ id: 'five' }, /^the record of the message has no integer as id/],
    [{ directory: proof.leaf.split('\n').slice(2, 8).join('\n') }, /does not give the leaf/],
  ] as const)
    expect(refusal(await stepsOf({}, { message: bytes({ ...record, ...change }) }))).toMatch(
      message,
    )
  expect(refusal(await stepsOf({}, {}, vkeyOf(2)))).toMatch(/not signed by a known key/)
})

it('the verification of a contribution compares its entry, whatever the id, if the record has it', async () => {
  const message = async (change: Record<string, unknown>, whole = entry) => {
    const steps = await stepsOf(ofEntry, { message: bytes({ ...whole, ...change }) })
    return steps.find(({ step }) => step !== 'text')?.message
  }
  expect(await message({})).toBe(`message ${LARGE_ID} gives the leaf`)
  for (const change of [{ kind: 'result' }, { links: [] }, { investigation_id: 2n }])
    expect(await message(change)).toBe('the record of the message does not give the leaf')
  const { kind, sources, links, ...plain } = entry
  expect(await message({ id: LARGE_ID }, plain as typeof entry)).toBe(
    `message ${LARGE_ID} gives the leaf; its entry is not in the record and was not compared`,
  )
})

it.each([
  ['another index', { index: 0 }, /do not lead/],
  ['another number of leaves', { count: 4 }, /do not lead|other records/],
  ['another root', { root: 'a'.repeat(64) }, /do not lead/],
  ['another id', { message_id: 3n }, /of another message/],
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
  expect(await verifyMessage(folderPlace(dir), files, undefined, (s) => steps.push(s))).toBe(false)
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
