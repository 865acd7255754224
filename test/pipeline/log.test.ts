// The log of days in runs: what is appended, signed and refused (FORMAT.md 17).
import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayProofName, daySumsName, manifestName } from '../../archive/format/paths.ts'
import { openCheckpoint, parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { dayLeaf, parseLog } from '../../archive/log/days.ts'
import { parseKeys } from '../../archive/log/note.ts'
import { checkpointProving, parseProof } from '../../archive/log/proof.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import { openWriter } from '../../archive/writing/writer.ts'
import { keeperIn, openDayLog } from '../../pipeline/log.ts'
import { repairDay } from '../../pipeline/repair.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { readSigningKeys } from '../../pipeline/signing-keys.ts'
import type { Store } from '../../server/store/database.ts'
import { makeDay as lightDay, publish as publishDay } from '../archive/days.ts'
import { DAYS, flipped, loggedArchive } from './logged-archive.ts'
import { makeDay } from './making.ts'
import { openWorkshop, verify, type Workshop } from './workshop.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let workshop: Workshop
beforeEach(async () => {
  workshop = await openWorkshop()
})
afterEach(() => workshop.close())

const { path, read, manifestPath, overwrite, config, open, publish, publishAndLog } = loggedArchive(
  () => workshop,
)

describe('the log of a run', () => {
  it('a run starts the log with a leaf for each archived day, ascending, and signs it', async () => {
    await publish('2026-11-18', '2026-11-17', '2026-11-19')
    const log = await open()
    await log.append(DAYS)
    const entries = DAYS.map((day) => ({ day, sha256: sha256(readFileSync(manifestPath(day))) }))
    expect(parseLog(readFileSync(path('log')))).toEqual(entries)
    const keys = parseKeys(readFileSync(path('key')))
    expect(openCheckpoint(readFileSync(path('checkpoint')), keys)).toMatchObject({
      origin: 'archive.example/transmissions',
      size: 3,
      verified: keys,
    })
    expect(await keeperIn(workshop.store).read()).toBe(read('checkpoint'))
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  it('a run makes the key once, readable by its owner only', async () => {
    await publishAndLog(DAYS[0]!)
    const { signingKeyFile } = config()
    expect(statSync(signingKeyFile).mode & 0o777).toBe(0o600)
    const key = readFileSync(signingKeyFile, 'utf8')
    expect(key).toContain('BEGIN PRIVATE KEY')
    await publishAndLog(DAYS[1]!)
    expect(readFileSync(signingKeyFile, 'utf8')).toBe(key)
  })

  it('no log exists before there is a day', async () => {
    await publish()
    const log = await open()
    await log.append([])
    expect(existsSync(path('log'))).toBe(false)
    expect(log.checkpoint).toBeNull()
  })

  it('a run appends a day that is filled in later at the end', async () => {
    await publishAndLog('2026-11-17', '2026-11-19')
    await publishAndLog('2026-11-18')
    expect(parseLog(readFileSync(path('log'))).map(({ day }) => day)).toEqual([
      '2026-11-17',
      '2026-11-19',
      '2026-11-18',
    ])
  })

  it.each([
    ['a hash', (proof: string) => proof.replace(/(?<=index 1\n)./, (c) => (c === 'A' ? 'B' : 'A'))],
    ['its signature', (proof: string) => proof.replace(/....\n$/, 'AAA=\n')],
    ['its end', (proof: string) => proof.slice(0, -2)],
  ])('a run replaces a proof that is damaged in %s', async (_, damage) => {
    await publishAndLog(...DAYS)
    const name = `${DAYS[1]}/${dayProofName(DAYS[1]!)}`
    const proof = read(name)
    expect(damage(proof)).not.toBe(proof)
    overwrite(name, damage(proof))
    const log = await open()
    await log.append([])
    expect(await log.writeProofs()).toEqual([name])
    expect(read(name)).toBe(proof)
  })

  it('a run writes the proof of a day once, and check files', async () => {
    await publishAndLog(DAYS[0]!)
    const proof = read(`2026-11-17/${dayProofName('2026-11-17')}`)
    await publishAndLog(DAYS[1]!)
    expect(read(`2026-11-17/${dayProofName('2026-11-17')}`)).toBe(proof)
    const [entry] = parseLog(readFileSync(path('log')))
    expect(checkpointProving(dayLeaf(entry!), parseProof(Buffer.from(proof))).size).toBe(1)
    const { reader } = await workshop.pipeline()
    await writeSums(folderPlace(workshop.archiveDir), reader, true)
    const lines = read(`2026-11-17/${daySumsName('2026-11-17')}`)
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => line.slice(66).replace(/^[0-9a-f]{64}/, ''))).toEqual([
      '2026-11-17.json',
      '2026-11-17.manifest.json',
      '.wav',
      '.mp4',
      '.png',
    ])
    expect(read('SHA256SUMS').split('\n')[0]).toBe(lines[0]?.replace('  ', '  2026-11-17/'))
    expect(read('index.html')).toContain('<h2 id="2026-11-18">')
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  it('a run appends another leaf for a day that gains a rendition later', async () => {
    const [day = ''] = DAYS
    const whole = lightDay(day, null)
    const mp4 = { available: false, reason: 'ffmpeg_not_found' } as const
    const { media, ...rest } = whole.manifest
    const writer = await openWriter(workshop.archiveDir, { create: true })
    await publishDay(writer, { ...whole, manifest: { ...rest, media: { ...media, mp4 } } })
    await publishAndLog()
    expect(await (await open()).append([day])).toEqual([])
    const size = { duration_seconds: 29.16, width: 64, height: 36 }
    await writer.addMedium(day, 'mp4', whole.media.mp4, size, rest.rendered_with)
    const log = await open()
    expect(await log.append([day])).toEqual([])
    expect(log.entries.map((entry) => entry.day)).toEqual([day, day])
    expect(log.checkpoint).toMatchObject({ size: 2 })
    await log.writeProofs()
    expect(read(`${day}/${dayProofName(day)}`).split('\n')[1]).toBe('index 1')
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })
})

describe('manifests that a run does not sign', () => {
  it('a run does not sign a manifest that was swapped with its hash', async () => {
    await publishAndLog(...DAYS)
    const [day = ''] = DAYS
    const changed = readFileSync(manifestPath(day), 'utf8').replace(
      '"ffmpeg": "5.1.9"',
      '"ffmpeg": "7"',
    )
    overwrite(`${day}/${manifestName(day)}`, changed)
    const seal = `.seals/${day}.${sha256(Buffer.from(changed))}`
    writeFileSync(path(seal), '')
    const before = read('log')
    const log = await open()
    expect(await log.append(DAYS)).toEqual([
      { day, error: expect.objectContaining({ code: 'manifest_not_logged' }) },
    ])
    expect(read('log')).toBe(before)
  })

  it('a run does not name a changed manifest as a predecessor', async () => {
    await publishAndLog(DAYS[0]!)
    const name = `${DAYS[0]}/${manifestName(DAYS[0]!)}`
    overwrite(name, read(name).replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'))
    const pipeline = await workshop.pipeline({ log: await open() })
    await expect(makeDay(pipeline, DAYS[1]!)).rejects.toThrow(/cannot name 2026-11-17/)
  })

  it('a logged day that has lost its folder is not made again, and nothing of it is written', async () => {
    await publishAndLog(DAYS[0]!)
    rmSync(path(DAYS[0]!), { recursive: true })
    const before = readdirSync(workshop.archiveDir, { recursive: true }).sort()
    const pipeline = await workshop.pipeline({ log: await open() })
    const lost =
      /2026-11-17.manifest.json: is in the log, and lost; restore it with --repair --from/
    await expect(makeDay(pipeline, DAYS[0]!)).rejects.toThrow(lost)
    expect(await repairDay(pipeline, DAYS[0]!)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(lost),
    })
    expect(readdirSync(workshop.archiveDir, { recursive: true }).sort()).toEqual(before)
  })

  it('a logged day that lost manifest and media is made again only with the logged bytes', async () => {
    const pipeline = await workshop.pipeline()
    await makeDay(pipeline, DAYS[0]!)
    const before = read(`${DAYS[0]}/${manifestName(DAYS[0]!)}`)
    for (const name of readdirSync(path(DAYS[0]!)).filter((name) => !name.endsWith('17.json')))
      rmSync(path(`${DAYS[0]}/${name}`))
    const left = readdirSync(workshop.archiveDir, { recursive: true }).sort()
    const others = { ...pipeline, versions: { node: '24.0.1', sharp: '0.35.0' } }
    await expect(makeDay(others, DAYS[0]!)).rejects.toThrow('manifest_not_logged')
    expect(readdirSync(workshop.archiveDir, { recursive: true }).sort()).toEqual(left)
    await expect(repairDay(others, DAYS[0]!)).rejects.toThrow('manifest_not_logged')
    expect(await repairDay(pipeline, DAYS[0]!)).toEqual({
      day: DAYS[0],
      status: 'repaired',
      message: manifestName(DAYS[0]!),
    })
    expect(read(`${DAYS[0]}/${manifestName(DAYS[0]!)}`)).toBe(before)
  })

  it('a run that starts the log does not sign a manifest that is not on record', async () => {
    await publish(DAYS[0]!)
    const name = `${DAYS[0]}/${manifestName(DAYS[0]!)}`
    overwrite(name, read(name).replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'))
    const log = await open()
    expect(await log.append([DAYS[0]!])).toEqual([
      { day: DAYS[0], error: expect.objectContaining({ code: 'manifest_not_logged' }) },
    ])
    expect(existsSync(path('log'))).toBe(false)
  })
})

describe('the check of the log before a run', () => {
  beforeEach(() => publishAndLog(...DAYS))

  const lines = () => read('log').split(/(?<=\n)/)
  const forgotten = (store: Store) =>
    store.write((tx) => tx.deleteFrom('settings').where('name', '=', 'log.checkpoint').execute())

  it.each([
    ['cut', () => overwrite('log', lines().slice(0, 2).join(''))],
    ['extended', () => overwrite('log', `${lines().join('')}2026-11-20 ${'a'.repeat(64)}\n`)],
    ['reordered', () => overwrite('log', lines().toReversed().join(''))],
    ['of one byte flipped', () => overwrite('log', flipped(read('log')))],
    ['without its last line break', () => overwrite('log', read('log').trimEnd())],
  ])('a run rejects a changed log: %s', async (_, damage) => {
    damage()
    await expect(open()).rejects.toThrow(/^log_rewritten: /)
    await forgotten(workshop.store)
    await expect(open()).rejects.toThrow(/^log_rewritten: /)
  })

  it('a run rejects a missing log, with its checkpoint or without', async () => {
    rmSync(path('log'))
    await expect(open()).rejects.toThrow(/^log_missing: /)
    rmSync(path('checkpoint'))
    await expect(open()).rejects.toThrow(/^log_missing: /)
  })

  it('a run rejects a log that was rolled back with its checkpoint', async () => {
    const [log, checkpoint] = [read('log'), read('checkpoint')]
    await publishAndLog('2026-11-20')
    overwrite('log', log)
    overwrite('checkpoint', checkpoint)
    await expect(open()).rejects.toThrow(/^log_rewritten: log has 3 lines, and 4 were signed/)
  })

  it('a run rejects a checkpoint that another key signed', async () => {
    rmSync(config().signingKeyFile)
    await expect(open()).rejects.toThrow(/^SIGNING_KEY_FILE: .* is missing/)
    const other = await openWorkshop()
    mkdirSync(other.archiveDir)
    await openDayLog(other.store, folderPlace(other.archiveDir), config())
    await other.close()
    await expect(open()).rejects.toThrow(/^log_rewritten: .* is not signed by a key that is known/)
  })

  it('a run rejects a checkpoint with one byte flipped', async () => {
    overwrite('checkpoint', read('checkpoint').replace('\n3\n', '\n2\n'))
    await expect(open()).rejects.toThrow(/^log_rewritten: checkpoint: /)
  })

  it('a run rejects another LOG_ORIGIN, and accepts another default', async () => {
    await expect(open({ logOrigin: 'other.example/log' })).rejects.toThrow(/^LOG_ORIGIN: /)
    await open({ defaultLogOrigin: 'other.example/transmissions' })
    await open({ logOrigin: 'archive.example/transmissions' })
  })

  it('a run that another one has overtaken adds no leaf that the log has already', async () => {
    const [one, other] = [await open(), await open()]
    await publish('2026-11-20')
    await one.append(['2026-11-20'])
    const [log, checkpoint] = [read('log'), read('checkpoint')]
    expect(await other.append(['2026-11-20'])).toEqual([])
    expect([read('log'), read('checkpoint')]).toEqual([log, checkpoint])
  })

  it('a run continues when only the database has lost the checkpoint', async () => {
    await forgotten(workshop.store)
    const log = await open()
    await log.append(DAYS)
    expect(await keeperIn(workshop.store).read()).toBe(read('checkpoint'))
  })

  it('a run publishes the kept checkpoint when the published one is old or missing', async () => {
    const old = read('checkpoint')
    await publishAndLog('2026-11-20')
    const newest = read('checkpoint')
    overwrite('checkpoint', old)
    await (await open()).append(DAYS)
    expect(read('checkpoint')).toBe(newest)
    rmSync(path('checkpoint'))
    await (await open()).append(DAYS)
    expect(read('checkpoint')).toBe(newest)
  })
})

describe('new keys', () => {
  it('of more keys than a note has signatures, the oldest do not sign', async () => {
    await publishAndLog(DAYS[0]!)
    const { signingKeyFile } = config()
    const pem = (n: number) => {
      const { privateKey } = generateKeyPairSync('ed25519')
      const name = `${signingKeyFile}.${String(99 - n).padStart(8, '0')}`
      writeFileSync(name, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      utimesSync(name, n, n)
      return privateKey
    }
    const earlier = Array.from({ length: 17 }, (_, n) => pem(n))
    const signing = readSigningKeys(signingKeyFile)
    expect(signing).toHaveLength(16)
    for (const [n, key] of earlier.entries())
      expect(
        signing.some((one) => one.equals(key)),
        `key ${n}`,
      ).toBe(n >= 2)
  })

  it('a new key is put first and signs with the earlier ones, so that either key verifies', async () => {
    await publishAndLog(...DAYS)
    const [old] = parseKeys(readFileSync(path('key')))
    const log = await open({}, { rekey: true })
    await log.append(DAYS)
    const keys = parseKeys(readFileSync(path('key')))
    expect(keys).toHaveLength(2)
    expect(keys[1]).toEqual(old)
    const note = readFileSync(path('checkpoint'))
    for (const key of keys) expect(openCheckpoint(note, [key]).verified).toEqual([key])
    expect(parseCheckpoint(note)).toMatchObject({
      size: 3,
      origin: 'archive.example/transmissions',
    })
    expect(existsSync(`${config().signingKeyFile}.${old?.id}`)).toBe(true)
    await publishAndLog('2026-11-20')
    for (const key of keys)
      expect(openCheckpoint(readFileSync(path('checkpoint')), [key]).size).toBe(4)
  })
})

describe('the whole run', () => {
  it('a run logs each day before it makes the next, and writes check files at its end', async () => {
    const { sizes } = await runOver(DAYS.slice(0, 1))
    expect(sizes).toEqual([1])
    expect(existsSync(path('SHA256SUMS'))).toBe(true)
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  it('a run reports a manifest that is not logged as a failed day, and continues', async () => {
    await publishAndLog(...DAYS)
    const name = `${DAYS[0]}/${manifestName(DAYS[0]!)}`
    overwrite(name, read(name).replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'))
    const { failed } = await runOver([])
    expect(failed).toEqual([
      { day: DAYS[0], error: expect.objectContaining({ code: 'manifest_not_logged' }) },
    ])
  })
})

/** What the command does, for days that are named. */
async function runOver(days: string[]) {
  const sizes: (number | undefined)[] = []
  const data = {
    ...config(),
    database: join(workshop.dir, 'daysignal.sqlite'),
    archive: { dir: workshop.archiveDir },
    dataDir: workshop.dir,
    cacheDir: join(workshop.dir, '.cache'),
    ffmpegSearch: {},
    nodeVersion: '24.0.0',
    rendersAtOnce: 1,
  }
  const context = {
    now: () => workshop.clock.now,
    random: () => 0.5,
    warn() {},
    signal: new AbortController().signal,
    onProgress() {},
  }
  const { failed } = await withPipeline(data, context, async (pipeline, recovery) => {
    for (const day of days) {
      await makeDay(pipeline, day)
      sizes.push(pipeline.log.checkpoint?.size)
    }
    return recovery
  })
  return { sizes, failed }
}
