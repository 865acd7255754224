// Tests what a run appends to the log of days, and with which keys it signs (FORMAT.md 15).
// Rules: FORMAT.md 14.1-14.3, 15.4, 16.3, 16.5; WRITING.md 1.6-1.9, 1.11, 3.2.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { daySumsName, manifestName } from '../../../archive/format/paths.ts'
import { openCheckpoint, parseCheckpoint } from '../../../archive/log/checkpoint.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { parseKeys } from '../../../archive/log/note.ts'
import { readSigningKeys } from '../../../archive/log/signing-keys.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { withPipeline } from '../../../pipeline/run/session.ts'
import { keeperIn, openDayLog } from '../../../pipeline/run/signed-log.ts'
import { readLogKeys } from '../../../server/database/settings/settings.ts'
import {
  makeDay as lightDay,
  PROPERTIES,
  publish as publishDay,
  withoutFilm,
} from '../../archive/days.ts'
import { killAtEveryStep, PLACE_WRITES } from '../../support/kill-switch.ts'
import { inFull } from '../../support/runs.ts'
import { openWriter } from '../../support/writers.ts'
import { archiveDay, configIn, contextAt, verify } from '../workshop.ts'
import { DAYS, loggedArchive } from './logged-archive.ts'

const { workshop, path, read, manifestPath, overwrite, config, open, publish, publishAndLog } =
  loggedArchive()

describe('the log of a run', () => {
  it('a run starts the log with a leaf for each archived day, ascending, and signs it', async () => {
    await publish('2026-11-18', '2026-11-17', '2026-11-19')
    const log = await open()
    await log.append(DAYS)
    const entries = DAYS.map((day) => ({ day, sha256: sha256Of(readFileSync(manifestPath(day))) }))
    expect(parseLog(readFileSync(path('log')))).toEqual(entries)
    const keys = parseKeys(readFileSync(path('key')))
    expect(openCheckpoint(readFileSync(path('checkpoint')), keys)).toMatchObject({
      origin: 'archive.example/transmissions',
      size: 3,
      verified: keys,
    })
    expect(await keeperIn(workshop.database).read()).toBe(read('checkpoint'))
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  it('a run creates the key once, readable by its owner only', async () => {
    await publishAndLog(DAYS[0]!)
    const { signingKeyFile } = config()
    expect(statSync(signingKeyFile).mode & 0o777).toBe(0o600)
    const key = readFileSync(signingKeyFile, 'utf8')
    expect(key).toContain('BEGIN PRIVATE KEY')
    await publishAndLog(DAYS[1]!)
    expect(readFileSync(signingKeyFile, 'utf8')).toBe(key)
  })

  it('no log is written before there is a day', async () => {
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

  it('a run derives check files and the index page', async () => {
    await publishAndLog(...DAYS)
    const { reader } = (await workshop.pipeline()).archive
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

  it('a run appends another leaf for a day that gains a media file later', async () => {
    const [day = ''] = DAYS
    const whole = lightDay(day, null)
    const writer = await openWriter(workshop.archiveDir, { create: true })
    await publishDay(writer, withoutFilm(whole))
    await publishAndLog()
    expect(await (await open()).append([day])).toEqual([])
    const { rendered_with } = whole.manifest
    await writer.addMedium(day, 'mp4', whole.media.mp4, PROPERTIES.mp4, rendered_with)
    const log = await open()
    expect(await log.append([day])).toEqual([])
    expect(log.entries.map((entry) => entry.day)).toEqual([day, day])
    expect(log.checkpoint).toMatchObject({ size: 2 })
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })
})

describe('new keys', () => {
  it('when there are more keys than a note may have signatures, the oldest do not sign', async () => {
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

  it('a new key is the first and signs together with the earlier ones, so that either key verifies', async () => {
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

it('a run that is killed while it takes up a new key leaves none for receipts that readers cannot find', async () => {
  await publishAndLog(...DAYS)
  const { database, archiveDir } = workshop
  const newest = async () => ((await readLogKeys(database.db)) ?? '').split('\n')[0]
  const place = folderPlace(archiveDir)
  const kills = await killAtEveryStep(
    (kill) =>
      openDayLog(kill.over(database, ['write']), kill.over(place, PLACE_WRITES), config(), {
        rekey: true,
      }),
    async (label) => {
      expect(read('key').split('\n'), label).toContain(await newest())
      await open()
      expect(read('key').split('\n')[0], label).toBe(await newest())
    },
  )
  expect(kills).toBeGreaterThan(1)
})

describe('a whole run', () => {
  inFull(
    'a run logs each day as soon as it is sealed, and writes check files at its end',
    async () => {
      const { sizes } = await runOver(DAYS.slice(0, 1))
      expect(sizes).toEqual([1])
      expect(existsSync(path('SHA256SUMS'))).toBe(true)
      expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
    },
  )

  it('a run reports a manifest that is not logged as a failed day, and continues', async () => {
    await publishAndLog(...DAYS)
    const name = `${DAYS[0]}/${manifestName(DAYS[0]!)}`
    overwrite(name, read(name).replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'))
    const before = read('log')
    const { failed } = await runOver([])
    expect(read('log')).toBe(before)
    expect(failed).toEqual([
      { day: DAYS[0], error: expect.objectContaining({ code: 'manifest_not_logged' }) },
    ])
  })
})

/** Runs the pipeline over the given days, as the command does. */
async function runOver(days: string[]) {
  const sizes: (number | undefined)[] = []
  const { dir, clock } = workshop
  const data = { ...configIn(dir), ...config() }
  const failed = await withPipeline(
    data,
    contextAt(() => clock.now),
    async (pipeline, unlogged) => {
      for (const day of days) {
        await archiveDay(pipeline, day)
        sizes.push(pipeline.log.checkpoint?.size)
      }
      return unlogged
    },
  )
  return { sizes, failed }
}
