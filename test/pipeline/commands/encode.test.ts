// Tests npm run encode: the audio of a snapshot file, and one line for each error.
// Rules: COMMANDS.md 1.2, 5.2.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Snapshot, snapshotBytes } from '../../../archive/format/snapshot.ts'
import { encode as command } from '../../../pipeline/commands/encode.ts'
import { makeMessages } from '../../archive/days.ts'
import type { WrittenFields } from '../../fixtures/vectors/days.ts'
import { readVectors } from '../../protocol/vector-files.ts'
import { temporaryFolder } from '../../support/release.ts'
import { executeHere } from './in-process.ts'

const cli = fileURLToPath(new URL('../../../pipeline/commands/encode.ts', import.meta.url))
const folder = temporaryFolder()

const encode = (args: string[], input?: Uint8Array) => executeHere(command, args, input)

/** A snapshot of the day in the worked example of SPEC.md. */
function exampleSnapshot(): Uint8Array {
  const { vectors } = readVectors<{ vectors: { fields: WrittenFields }[] }>('frames.json')
  const { day, counters, conclusion } = vectors[0]!.fields
  const available = Object.keys(counters).map((name) => [name, true])
  return snapshotBytes({
    protocol_version: 1,
    day,
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
    generated_at: '2026-11-20T00:05:00.000Z',
    counters,
    availability: Object.fromEntries(available) as Snapshot['availability'],
    coverage: { status: 'complete', observed_seconds: 86_400, reasons: [] },
    clock: { status: 'ok' },
    conclusion,
    previous: null,
    records: makeMessages(1, Number(counters.messages)).records,
  })
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function exampleHash(): string {
  const { vectors } = readVectors<{ vectors: { name: string; wav_sha256: string }[] }>(
    'waveforms.json',
  )
  return vectors.find(({ name }) => name.includes('worked example'))!.wav_sha256
}

test('a snapshot becomes the WAV file whose hash SPEC.md gives', async () => {
  const snapshot = join(folder, '2026-11-19.json')
  const wav = join(folder, 'out.wav')
  writeFileSync(snapshot, exampleSnapshot())
  expect(await encode([snapshot, wav])).toMatchObject({ status: 0, error: '' })
  expect(sha256(readFileSync(wav))).toBe(exampleHash())
})

test('a dash reads the snapshot from standard input and writes the file to standard output', () => {
  const options = { input: exampleSnapshot(), maxBuffer: 1 << 24 }
  const { status, stdout } = spawnSync(process.execPath, [cli, '-', '-'], options)
  expect([status, sha256(stdout)]).toEqual([0, exampleHash()])
})

test('white space, line endings and the order of properties do not change the audio', async () => {
  const text = Buffer.from(exampleSnapshot()).toString()
  const backwards = Object.entries(JSON.parse(text)).reverse()
  for (const spelling of [
    JSON.stringify(JSON.parse(text)),
    text.replaceAll('\n', '\r\n'),
    JSON.stringify(Object.fromEntries(backwards), null, '\t'),
  ]) {
    const { status, out, error } = await encode(['-', '-'], Buffer.from(spelling))
    expect([status, error, sha256(out)]).toEqual([0, '', exampleHash()])
  }
})

test('encode exits 1 with one line for a missing or broken snapshot, and writes nothing', async () => {
  const broken = join(folder, 'broken.json')
  const wav = join(folder, 'never.wav')
  writeFileSync(broken, '{"protocol_version":1}\n')
  for (const [file, words] of [
    [join(folder, 'none.json'), 'none.json: no such file'],
    [broken, `${broken}: snapshot: day: is missing`],
    [folder, `${folder}: is a folder`],
  ] as const) {
    const { status, error } = await encode([file, wav])
    expect(status).toBe(1)
    expect(error).toMatch(/^[^\n]+\n$/)
    expect(error).toContain(words)
    expect(existsSync(wav)).toBe(false)
  }
})

test('encode exits 1 with one line when it cannot write the output', async () => {
  const { status, error } = await encode(['-', join(folder, 'none', 'out.wav')], exampleSnapshot())
  expect(status).toBe(1)
  expect(error).toMatch(/^[^\n]*no such file or folder\n$/)
})

test('a snapshot is not overwritten with its own audio', async () => {
  const snapshot = join(folder, 'own.json')
  writeFileSync(snapshot, exampleSnapshot())
  const error = `encode: ${snapshot}: the snapshot would be overwritten; see --help\n`
  expect(await encode([snapshot, snapshot])).toMatchObject({ status: 2, error })
  expect(readFileSync(snapshot)).toEqual(Buffer.from(exampleSnapshot()))
})
