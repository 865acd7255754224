// verify on a folder: whatever is changed, moved, added or taken away is found, and named.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ArchiveError } from '../../../archive/errors.ts'
import { type Manifest, manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { isNote, type Report } from '../../../archive/verify/findings.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { writeWav } from '../../../protocol/index.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import {
  type Day,
  filenameOf,
  lay,
  makeDay,
  makeManifest,
  perCounter,
  picture,
  publish,
  SAMPLE_RATE,
  video,
} from '../days.ts'
import { decode } from '../decoding.ts'

const first = makeDay('2026-11-17', null)
const second = makeDay('2026-11-18', first)
const third = makeDay('2026-11-19', second)

let root: string
let model: string
let dir: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-verify-'))
  model = join(root, 'model')
  const writer = await openWriter(model, { create: true })
  for (const day of [first, second, third]) await publish(writer, day)
})
beforeEach(() => {
  dir = join(root, 'tried')
  rmSync(dir, { recursive: true, force: true })
  cpSync(model, dir, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const verify = (): Promise<Report> => verifyArchive(folderSource(dir), { decode })

/** "code file" of everything that was found, of the archive and of its days. */
function found(report: Report): string[] {
  const all = [...report.findings, ...report.days.flatMap((day) => day.findings)]
  return all.map(({ code, file }) => `${code} ${file}`)
}

function overwrite(file: string, content: string | Uint8Array): void {
  overwriteFile(join(dir, file), content)
}

/** An archive made by hand, without what the writer records of manifests. */
function layAll(...days: Day[]): void {
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  for (const day of days) lay(dir, day)
}

describe('good archives', () => {
  it('a good archive has no findings, and verification does not change it', async () => {
    const state = () => readdirSync(dir, { recursive: true }).sort()
    const before = state()
    const heard: string[] = []
    const report = await verifyArchive(folderSource(dir), {
      decode,
      onDay: ({ day }) => heard.push(day),
    })
    const days = ['2026-11-17', '2026-11-18', '2026-11-19']
    expect(report).toEqual({
      ok: true,
      days: days.map((day) => ({ day, ok: true, findings: [] })),
      findings: [],
    })
    expect(heard).toEqual(days)
    expect(state()).toEqual(before)
  })

  it('a plain copy of the days of a good archive verifies', async () => {
    layAll(first, second, third)
    expect(found(await verify())).toEqual([])
  })

  it('the pipeline’s own files may exist next to the days', async () => {
    for (const suffix of ['', '-journal', '-wal', '-shm'])
      writeFileSync(join(dir, `.pipeline.lock${suffix}`), '')
    writeFileSync(join(dir, '.seals', '.writing'), '')
    mkdirSync(join(dir, '.staging', '.video'), { recursive: true })
    expect(found(await verify())).toEqual([])
  })

  it('media may be missing where the manifest states the reason', async () => {
    const media = { ...first.manifest.media }
    media.mp4 = { available: false, reason: 'ffmpeg_not_found' }
    media.png = { available: false, reason: 'render_failed' }
    layAll({ ...first, manifest: { ...first.manifest, media } })
    expect(found(await verify())).toEqual([])
  })

  it('a day on which nothing could be counted verifies', async () => {
    const unknown = makeDay('2026-11-20', third, {
      counters: perCounter(() => null),
      availability: perCounter(() => false),
      coverage: { status: 'none', observed_seconds: 0, reasons: [] },
      clock: { status: 'unverified' },
      conclusion: 'inconclusive',
    })
    lay(dir, unknown)
    expect(found(await verify())).toEqual([])
  })
})

describe('changed bytes', () => {
  const files: [string, () => string, number][] = [
    ['snapshot', () => `2026-11-18/${snapshotName('2026-11-18')}`, 30],
    ['manifest', () => `2026-11-18/${manifestName('2026-11-18')}`, 60],
    ['sound', () => `2026-11-18/${filenameOf(second, 'wav')}`, 10],
    ['video', () => `2026-11-18/${filenameOf(second, 'mp4')}`, 10],
    ['picture', () => `2026-11-18/${filenameOf(second, 'png')}`, 10],
  ]
  it.each(files)('any changed byte of a %s fails its day', async (_, name, numRuns) => {
    const original = new Uint8Array(readFileSync(join(dir, name())))
    const last = original.length - 1
    const anywhere = fc.tuple(fc.nat(last), fc.integer({ min: 1, max: 255 }))
    const check = fc.asyncProperty(anywhere, async ([at, change]) => {
      const changed = Uint8Array.from(original)
      changed[at]! ^= change
      overwrite(name(), changed)
      const report = await verify()
      expect(report.ok).toBe(false)
      expect(report.days.map((day) => day.ok)).toEqual([true, false, expect.any(Boolean)])
      expect(report.days[1]?.findings.map(({ file }) => file)).toContain(name())
    })
    await fc.assert(check, { numRuns, examples: [[[0, 1]], [[last, 1]]] })
  })

  it('a changed tool version, which cannot be derived again, is reported as manifest_changed', async () => {
    const name = `2026-11-18/${manifestName('2026-11-18')}`
    const text = readFileSync(join(dir, name), 'utf8')
    overwrite(name, text.replace('"24.21.0"', '"24.21.1"'))
    expect(found(await verify())).toEqual([`manifest_changed ${name}`])
  })
})

describe('files', () => {
  const names = (day: Day) => [
    manifestName(day.manifest.day),
    snapshotName(day.manifest.day),
    ...(['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(day, kind)),
  ]

  it.each([0, 1, 2, 3, 4])('a missing file is reported (%i)', async (index) => {
    const name = `2026-11-18/${names(second)[index]}`
    rmSync(join(dir, name))
    expect(found(await verify())).toContain(`missing ${name}`)
  })

  it.each([0, 1, 2, 3, 4])('an empty, shorter or longer file is reported (%i)', async (index) => {
    const name = `2026-11-18/${names(second)[index]}`
    const original = readFileSync(join(dir, name))
    for (const content of [
      new Uint8Array(),
      original.subarray(0, -1),
      Buffer.concat([original, Buffer.from('\n')]),
    ]) {
      overwrite(name, content)
      const report = await verify()
      expect(report.days[1]?.ok).toBe(false)
      expect(report.days[1]?.findings.map(({ file }) => file)).toContain(name)
    }
  })

  it('a link or a folder in place of a file is reported', async () => {
    const wav = `2026-11-18/${filenameOf(second, 'wav')}`
    renameSync(join(dir, wav), join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), join(dir, wav))
    const json = `2026-11-19/${snapshotName('2026-11-19')}`
    rmSync(join(dir, json))
    mkdirSync(join(dir, json))
    const report = await verify()
    expect(found(report)).toEqual([`not_a_file ${wav}`, `not_a_file ${json}`])
  })

  it('a file of gigabytes is not read into memory', async () => {
    const png = `2026-11-18/${filenameOf(second, 'png')}`
    chmodSync(join(dir, png), 0o644)
    truncateSync(join(dir, png), 8 * 1024 ** 3)
    expect(found(await verify())).toEqual([`too_large ${png}`])
  })

  it.each([
    ['a file at the top', 'README.txt'],
    ['a file with a day’s name', '2026-11-20'],
    ['a folder that is no day', '2026-11-31/x'],
    ['a file in a day', '2026-11-18/notes.txt'],
    ['a hidden file in a day', '2026-11-18/.writing'],
    ['a hidden file at the top', '.hidden'],
    ['a hidden folder at the top', '.hidden/x'],
    ['a file among the seals', '.seals/junk'],
    ['a file in the staging', '.staging/junk'],
    ['a folder in the staging', '.staging/2026-11-31/x'],
    ['a folder instead of the lock', '.pipeline.lock/x'],
    ['a medium that no manifest names', `2026-11-18/${'ab'.repeat(32)}.wav`],
  ])('a file that does not belong in the archive is reported: %s', async (_, name) => {
    mkdirSync(join(dir, name, '..'), { recursive: true })
    writeFileSync(join(dir, name), '')
    const shown = name.replace(/\/x$/, '')
    const report = await verify()
    expect(found(report)).toEqual([`stray ${shown}`])
    expect(report.ok).toBe(false)
  })

  it('a seal that has content, or is no file, is reported', async () => {
    const [one = '', other = ''] = readdirSync(join(dir, '.seals'))
    overwrite(`.seals/${one}`, 'x')
    rmSync(join(dir, '.seals', other))
    mkdirSync(join(dir, '.seals', other))
    const report = await verifyArchive(folderSource(dir), { quick: true })
    expect(found(report)).toEqual([`too_large .seals/${one}`, `not_a_file .seals/${other}`])
    expect(report.ok).toBe(false)
  })
})

describe('days', () => {
  it('a missing day is reported by the chain and by the seals', async () => {
    rmSync(join(dir, '2026-11-18'), { recursive: true })
    expect(found(await verify())).toEqual([
      'missing 2026-11-18',
      `previous_missing 2026-11-19/2026-11-19.json`,
    ])
    rmSync(join(dir, '.seals'), { recursive: true })
    expect(found(await verify())).toEqual([`previous_missing 2026-11-19/2026-11-19.json`])
  })

  it('a missing last day is reported by the seals', async () => {
    rmSync(join(dir, '2026-11-19'), { recursive: true })
    const report = await verify()
    expect(found(report)).toEqual(['missing 2026-11-19'])
    expect(report.ok).toBe(false)
  })

  it('a day under the name of another day is reported', async () => {
    layAll(first)
    renameSync(join(dir, '2026-11-17'), join(dir, '2026-11-18'))
    const report = await verify()
    expect(report.ok).toBe(false)
    expect(found(report)).toContain('missing 2026-11-18/2026-11-18.manifest.json')
    const day = join(dir, '2026-11-18')
    renameSync(join(day, '2026-11-17.json'), join(day, '2026-11-18.json'))
    renameSync(join(day, '2026-11-17.manifest.json'), join(day, '2026-11-18.manifest.json'))
    expect(found(await verify())).toContain('wrong_day 2026-11-18/2026-11-18.manifest.json')
  })

  it('a day without a manifest fails, unless a run is in progress or was killed', async () => {
    const name = `2026-11-19/${manifestName('2026-11-19')}`
    mkdirSync(join(dir, '.staging', '2026-11-19'), { recursive: true })
    renameSync(join(dir, name), join(dir, '.staging', name))
    const killed = await verify()
    expect(found(killed)).toEqual(['staging_left .staging/2026-11-19'])
    expect(killed.ok).toBe(true)
    expect(killed.days.map(({ day }) => day)).toEqual(['2026-11-17', '2026-11-18'])
    rmSync(join(dir, '.staging'), { recursive: true })
    const lost = await verify()
    expect(found(lost)).toEqual([`missing ${name}`])
    expect(lost.ok).toBe(false)
  })

  it('a media file that a killed repair has already published is a note and does not fail', async () => {
    const without = { ...third.manifest, media: { ...third.manifest.media } }
    without.media.mp4 = { available: false, reason: 'ffmpeg_not_found' }
    layAll(first, second, { ...third, manifest: without })
    mkdirSync(join(dir, '.staging', '2026-11-19'), { recursive: true })
    const staged = join(dir, '.staging', '2026-11-19', manifestName('2026-11-19'))
    writeFileSync(staged, manifestBytes(third.manifest))
    const video = `2026-11-19/${filenameOf(third, 'mp4')}`
    writeFileSync(join(dir, video), third.media.mp4)
    const report = await verify()
    expect(found(report)).toEqual(['staging_left .staging/2026-11-19'])
    expect(report.ok).toBe(true)
    rmSync(join(dir, '.staging'), { recursive: true })
    expect(found(await verify())).toEqual([`stray ${video}`])
  })
})

/** The third day, made again with something wrong in it that its hashes cover. */
function remade(snapshot: Partial<Day['snapshot']>, media: Partial<Day['media']> = {}): Day {
  const whole = { ...third.snapshot, ...snapshot }
  const all = { ...third.media, ...media }
  return { snapshot: whole, media: all, manifest: makeManifest(whole, all) }
}

describe('derived content', () => {
  const json = '2026-11-19/2026-11-19.json'
  const manifest = '2026-11-19/2026-11-19.manifest.json'
  const silence = writeWav(new Int16Array(samples(third).length), SAMPLE_RATE)
  const two = writeWav(
    Int16Array.from([...samples(third), ...new Int16Array(SAMPLE_RATE), ...samples(third)]),
    SAMPLE_RATE,
  )

  it.each<[string, () => Day, string[]]>([
    [
      'a conclusion that does not follow, which no sound can carry',
      () => remade({ conclusion: 'quiet' }),
      [`conclusion ${json}`, `sound_differs 2026-11-19/${filenameOf(third, 'wav')}`],
    ],
    [
      'the sound of another day',
      () => remade({}, { wav: second.media.wav }),
      [`sound_differs 2026-11-19/${filenameOf(second, 'wav')}`],
    ],
    [
      'a sound without a transmission',
      () => remade({}, { wav: silence }),
      [`sound_undecodable 2026-11-19/${filenameOf(remade({}, { wav: silence }), 'wav')}`],
    ],
    [
      'a sound with two transmissions, and longer than said',
      () => remade({}, { wav: two }),
      [
        `medium_facts ${manifest}`,
        `sound_differs 2026-11-19/${filenameOf(remade({}, { wav: two }), 'wav')}`,
      ],
    ],
    [
      'a picture of another size',
      () => remade({}, { png: picture(65, 36, 1) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a video of another length',
      () => remade({}, { mp4: video(64, 36, 730, 25) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a video of another size',
      () => remade({}, { mp4: video(64, 35, 729, 25) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a picture that is none',
      () => remade({}, { png: third.media.mp4 }),
      [`not_a_medium 2026-11-19/${filenameOf(remade({}, { png: third.media.mp4 }), 'png')}`],
    ],
    [
      'another hash of the day before',
      () => remade({ previous: { day: '2026-11-18', sha256: '00'.repeat(32) } }),
      [`previous_hash ${json}`],
    ],
    [
      'a day before that is not archived',
      () => remade({ previous: { day: '2026-11-16', sha256: '00'.repeat(32) } }),
      [`previous_missing ${json}`],
    ],
  ])('the verifier reports %s', async (_, make, expected) => {
    const day = make()
    layAll(first, second, day)
    const report = await verify()
    expect(report.days.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(found(report)).toEqual(expected)
  })

  it.each<[string, (manifest: Manifest) => void, string]>([
    ['snapshot', (m) => Object.assign(m.snapshot, { conclusion: 'quiet' }), 'snapshot_differs'],
    ['bytes of the snapshot', (m) => Object.assign(m.snapshot_file, { bytes: 1 }), 'snapshot_size'],
    [
      'hash of the snapshot',
      (m) => Object.assign(m.snapshot_file, { sha256: '00'.repeat(32) }),
      'snapshot_hash',
    ],
    ['bytes of a medium', (m) => Object.assign(m.media.png, { bytes: 1 }), 'medium_size'],
    ['width', (m) => Object.assign(m.media.png, { width: 63 }), 'medium_facts'],
    ['duration', (m) => Object.assign(m.media.wav, { duration_seconds: 29.141 }), 'medium_facts'],
  ])('the verifier reports another %s in the manifest', async (_, change, code) => {
    const changed = structuredClone(third.manifest)
    change(changed)
    layAll(first, second, { ...third, manifest: changed })
    expect(found(await verify())).toEqual([`${code} ${manifest}`])
  })
})

function samples({ media }: Day): Int16Array {
  return new Int16Array(media.wav.slice(44).buffer)
}

describe('days that were filled in later', () => {
  const late = { generated_at: '2026-11-25T00:00:00.000Z' }
  const alone = makeDay('2026-11-19', first)

  it('a day filled in later is a note: the next one names the same previous day', async () => {
    const filled = makeDay('2026-11-18', first, late)
    layAll(first, filled, alone)
    const report = await verify()
    expect(report.ok).toBe(true)
    expect(report.days.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(found(report)).toEqual(['filled_in_later 2026-11-19/2026-11-19.json'])
    expect(report.days.flatMap(({ findings }) => findings).every(isNote)).toBe(true)
  })

  it('a day filled in while the clock was behind is a note', async () => {
    const early = { generated_at: '2026-11-01T00:00:00.000Z' }
    layAll(first, makeDay('2026-11-18', first, early), alone)
    const report = await verify()
    expect(report.ok).toBe(true)
    expect(found(report)).toEqual(['filled_in_later 2026-11-19/2026-11-19.json'])
    const { findings } = report.days[2]!
    expect(findings[0]?.message).toBe('names 2026-11-17 as previous; 2026-11-18 came later')
  })

  it('a day filled in before all others leaves two days that name no previous day', async () => {
    const filled = makeDay('2026-11-16', null, late)
    layAll(filled, first)
    const report = await verify()
    expect(report.ok).toBe(true)
    expect(found(report)).toEqual(['filled_in_later 2026-11-17/2026-11-17.json'])
  })

  it('the days after a day that was filled in later name it', async () => {
    const filled = makeDay('2026-11-18', first, late)
    const after = makeDay('2026-11-20', alone, { generated_at: '2026-11-26T00:00:00.000Z' })
    layAll(first, filled, alone, after)
    expect(found(await verify())).toEqual(['filled_in_later 2026-11-19/2026-11-19.json'])
  })
})

describe('folders that are no archive', () => {
  it('a folder that contains no day fails', async () => {
    layAll()
    const message = 'holds no day'
    const findings = [{ code: 'no_days', file: dir, message }]
    expect(await verify()).toEqual({ ok: false, days: [], findings })
  })

  it.each([
    ['is missing', () => join(root, 'nowhere'), /nowhere: does not exist$/],
    ['is a file', () => join(dir, '2026-11-17', '2026-11-17.json'), /\.json: is not a folder$/],
  ])('the verifier rejects a folder that %s', async (_, place, message) => {
    const work = verifyArchive(folderSource(place()), { decode })
    await expect(work).rejects.toThrow(ArchiveError)
    await expect(work).rejects.toMatchObject({ code: 'archive_unavailable' })
    await expect(work).rejects.toThrow(message)
  })
})
