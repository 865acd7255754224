// Tests npm run decode: tables for people, JSON for programs, and one line for a file without a transmission.
// Rules: COMMANDS.md 1.2-1.3, 5.1.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { decode as command } from '../../../pipeline/commands/decode.ts'
import { COUNTER_NAMES, modulate, SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import type { WrittenFields } from '../../fixtures/vectors/days.ts'
import { fromHex, readVectors } from '../../protocol/vector-files.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { executeHere } from './in-process.ts'

const cli = fileURLToPath(new URL('../../../pipeline/commands/decode.ts', import.meta.url))
const { vectors: days } = readVectors<{ vectors: { fields: WrittenFields; frame: string }[] }>(
  'frames.json',
)
const { vectors: codes } = readVectors<{ vectors: { frame: string; tones: string }[] }>('code.json')

const folder = temporaryFolder()
const one = recording('one.wav', [0])
const two = recording('two.wav', [4, 1])
const none = join(folder, 'none.wav')
writeFileSync(none, writeWav(new Int16Array(20 * SAMPLE_RATE)))

/** Writes a WAV with the days of these vectors in sequence, each surrounded by half a second of silence. */
function recording(name: string, indices: number[]): string {
  const gap = SAMPLE_RATE / 2
  const sounds = indices.map((index) => {
    const code = codes.find(({ frame }) => frame === days[index]!.frame)!
    return modulate(fromHex(code.tones))
  })
  const samples = new Int16Array(gap + sounds.reduce((sum, sound) => sum + sound.length + gap, 0))
  let at = gap
  for (const sound of sounds) {
    samples.set(sound, at)
    at += sound.length + gap
  }
  const file = join(folder, name)
  writeFileSync(file, writeWav(samples))
  return file
}

async function decode(args: string[], input?: Uint8Array) {
  const { status, out, error } = await executeHere(command, args, input)
  return { status, out: stripVTControlCharacters(String(out)), error }
}

test('the table shows every field and how well it was received, in words', async () => {
  const { status, out, error } = await decode([one])
  expect([status, error]).toEqual([0, ''])
  const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(rows[0]).toEqual([one])
  expect(rows).toContainEqual(['day', '2026-11-19'])
  expect(rows).toContainEqual(['conclusion', 'active'])
  expect(rows).toContainEqual(['message bytes', '40961'])
  expect(rows).toContainEqual(['reception', 'Very clear. No measurable noise.'])
  expect(rows).toContainEqual(['starts at', '0.500 s'])
  expect(rows).toContainEqual(['corrected tones', '0 of 273'])
  for (const name of COUNTER_NAMES) expect(out).toContain(name.replaceAll('_', ' '))
})

test('--json prints one item for each file with all its transmissions', async () => {
  const { status, out } = await decode(['--json', one, two])
  expect(status).toBe(0)
  const item = (index: number) => {
    const { day, counters, coverage, clock, conclusion } = days[index]!.fields
    const availability = Object.entries(counters).map(([name, count]) => [name, count !== null])
    return {
      day,
      counters,
      availability: Object.fromEntries(availability),
      coverage,
      clock,
      conclusion,
      frame: days[index]!.frame,
      diagnostics: {
        start_seconds: expect.any(Number),
        speed: expect.closeTo(1, 4),
        translation_hz: expect.closeTo(0, 0),
        eb_n0_db: expect.any(Number),
        snr_2500_db: expect.any(Number),
        corrected_tones: 0,
        absent_part: 0,
        list_length: 8,
      },
    }
  }
  expect(JSON.parse(out)).toEqual([
    { file: one, transmissions: [item(0)], error: null },
    { file: two, transmissions: [item(4), item(1)], error: null },
  ])
})

inFull('the table shows the first of several transmissions, and all with --all', async () => {
  const first = (await decode([two])).out
  expect(first).toContain('transmission 1 of 2')
  expect(first).toContain('unavailable')
  expect(first).toContain('--all prints the others')
  expect(first).not.toContain('2026-11-20')
  const all = (await decode(['--all', two])).out
  expect(all).toContain('2028-02-29')
  expect(all).toContain('2026-11-20')
  expect(all).not.toContain('--all')
})

inFull('a dash as the file name reads standard input', async () => {
  const samples = modulate(fromHex(codes[2]!.tones))
  const { status, out } = await decode(['-', '--json'], writeWav(samples))
  expect(status).toBe(0)
  expect(JSON.parse(out)).toMatchObject([
    { file: '-', transmissions: [{ frame: codes[2]!.frame }] },
  ])
})

test('from standard input, each transmission is printed once when it has ended, and before the input has', async () => {
  const child = spawn(process.execPath, [cli, '-'])
  const wav = readFileSync(two)
  // As arecord writes it: with the size of the longest possible sound.
  wav.writeUInt32LE(0x8000_0000, 40)
  const second = 2 * SAMPLE_RATE
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += stripVTControlCharacters(String(chunk))
  })
  const daysIn = (output: string) => output.match(/(?<=day +)\d{4}-\d\d-\d\d/g) ?? []
  child.stdin.write(wav.subarray(0, 34 * second))
  await expect.poll(() => daysIn(printed), { timeout: 30_000 }).toEqual(['2028-02-29'])
  child.stdin.end(wav.subarray(34 * second))
  const [status] = await once(child, 'close')
  expect(status).toBe(0)
  expect(daysIn(printed)).toEqual(['2028-02-29', '2026-11-20'])
  expect(printed).toContain('-, transmission 2')
})

test('from standard input, a result without a transmission is that of a file', async () => {
  const { status, out, error } = await decode(['-'], readFileSync(none))
  expect([status, out]).toEqual([1, ''])
  expect(error).toContain('(silent)')
})

/** Sends a command the start of a stream, and then the rest again and again, as long as it reads. */
async function decodeEndless(start: Uint8Array, rest: Uint8Array, isHeard = true) {
  const child = spawn(process.execPath, [cli, '-'])
  const endless = Readable.from(
    (function* () {
      yield start
      for (;;) yield rest
    })(),
  )
  child.stdin.on('error', () => endless.destroy())
  endless.pipe(child.stdin)
  if (!isHeard) child.stdout.once('data', () => child.stdout.destroy())
  const [error, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  endless.destroy()
  return { error, status }
}

test('decode stops reading an endless stream that is not a WAV or continues after its sound', async () => {
  for (const [start, code] of [
    [Buffer.alloc(100), 'not_wav'],
    [writeWav(new Int16Array(SAMPLE_RATE)), 'silent'],
  ] as const) {
    const { error, status } = await decodeEndless(start, Buffer.alloc(1 << 16))
    expect(status).toBe(1)
    expect(error).toContain(`(${code})`)
  }
})

test('decode stops listening to an endless stream when nobody reads its output any more', async () => {
  const wav = readFileSync(one)
  wav.writeUInt32LE(0x8000_0000, 40)
  const ended = await decodeEndless(wav.subarray(0, 44), wav.subarray(44), false)
  expect(ended).toEqual({ error: '', status: 0 })
})

test('decode exits 1 with one line that states why a file has no transmission', async () => {
  const text = join(folder, 'text.wav')
  writeFileSync(text, 'not sound at all')
  for (const [file, code] of [
    [none, 'silent'],
    [text, 'not_wav'],
    [join(folder, 'missing.wav'), 'unreadable'],
    [folder, 'unreadable'],
  ] as const) {
    const { status, out, error } = await decode([file])
    expect([status, out]).toEqual([1, ''])
    expect(error).toMatch(/^[^\n]+\n$/)
    expect(error).toContain(`${file}: `)
    expect(error).toContain(`(${code})`)
  }
})

inFull('decode exits 1 for one bad file among good ones, and prints the good ones', async () => {
  const { status, out, error } = await decode([none, one])
  expect([status, error.split('\n').length]).toEqual([1, 2])
  expect(out).toContain('2026-11-19')
  const json = JSON.parse((await decode(['--json', none, one])).out)
  expect(json).toMatchObject([
    { transmissions: [], error: { code: 'silent', message: expect.any(String) } },
    { transmissions: [{ day: '2026-11-19' }], error: null },
  ])
})

inFull('--combine prints each day once, as one item of all files', async () => {
  const { status, out, error } = await decode(['--combine', '--json', one, one, none])
  expect(status).toBe(0)
  expect(error).toContain(`${none}: `)
  expect(JSON.parse(out)).toMatchObject([
    { files: [one, one, none], transmissions: [{ frame: days[0]!.frame }], error: null },
  ])
  expect((await decode(['--combine', one])).status).toBe(0)
  const nothing = await decode(['--combine', '--json', none, none])
  expect(nothing.status).toBe(1)
  expect(JSON.parse(nothing.out)).toMatchObject([{ transmissions: [], error: { code: 'silent' } }])
})
