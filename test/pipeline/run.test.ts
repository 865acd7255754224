// Tests a day from records to a verified transmission, and repeated, interrupted and late runs.
// Rules: FORMAT.md 3.4, 8.3, 10.1, 11.1; WRITING.md 1.10.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { dayStart } from '../../archive/format/calendar.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { eachKind } from '../../archive/format/media.ts'
import { manifestName } from '../../archive/format/paths.ts'
import type { FolderPlace } from '../../archive/place/folder.ts'
import { type Ffmpeg, FfmpegShortage } from '../../pipeline/render/find-ffmpeg.ts'
import { repairDays } from '../../pipeline/repair/repair.ts'
import type { DayOutcome, Run, RunReport, RunTools } from '../../pipeline/run/session.ts'
import { sealDay } from '../../pipeline/sealing/publish.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { decodeWav } from '../../protocol/receiver/index.ts'
import { makeDay as lightDay } from '../archive/days.ts'
import { decode } from '../archive/decoding.ts'
import { findingsIn } from '../archive/findings.ts'
import { overwriteFile } from '../support/overwrite-file.ts'
import { SHARED_RENDERERS } from '../support/renderings.ts'
import { inFull } from '../support/runs.ts'
import { archiveDay, UNHEARD, verify, workshopForEach } from './workshop.ts'

const HOUR = 3_600_000
const DAY = '2026-11-18'
const NEXT = '2026-11-19'

const workshop = workshopForEach()

/** Lists every file of the archive with its hash and modification time. */
function files(): string[] {
  return readdirSync(workshop.archiveDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(workshop.archiveDir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${sha256Of(readFileSync(path))} ${statSync(path).mtimeMs}`)
    .sort()
}

async function snapshotOf(pipeline: Run, day: string) {
  return (await pipeline.archive.reader.snapshot(day))!.snapshot
}

describe('days', () => {
  it('a day is published with the same counters in snapshot, manifest and sound', async () => {
    const { records } = workshop
    const from = dayStart(DAY)
    const garden = await records.directory('garden', from + HOUR)
    await records.message(garden, from + 2 * HOUR, 'hello')
    await records.message(garden, from + 3 * HOUR, 'hidden', 0)
    await records.alive(from - HOUR, from + 30 * HOUR)
    const pipeline = await workshop.pipeline(SHARED_RENDERERS)
    const message = 'no film: no ffmpeg was found'
    expect(await archiveDay(pipeline, DAY)).toEqual({ day: DAY, status: 'published', message })

    const snapshot = await snapshotOf(pipeline, DAY)
    expect(snapshot).toMatchObject({
      day: DAY,
      generated_at: '2026-11-20T00:05:00.000Z',
      counters: { messages: '1', message_bytes: '5', directories: '1', reviews: '0' },
      coverage: { status: 'complete', observed_seconds: 86_400, reasons: [] },
      clock: { status: 'ok' },
      conclusion: 'active',
      previous: null,
    })
    const { manifest } = (await pipeline.archive.reader.manifest(DAY))!
    expect(manifest.snapshot).toEqual(snapshot)
    expect(manifest.media.mp4).toEqual({ available: false, reason: 'ffmpeg_not_found' })
    expect(manifest.rendered_with).toEqual({
      renderer: '1',
      node: '24.0.0',
      sharp: '0.35.0',
      ffmpeg: null,
    })
    const { wav } = manifest.media
    const decoded = decodeWav(
      readFileSync(join(workshop.archiveDir, DAY, wav.available ? wav.filename : '')),
    )
    expect(decoded.transmissions.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ day: DAY, conclusion: 'active', coverage: 'complete' }),
    ])
    expect(decoded.transmissions[0]!.fields.counters).toMatchObject({
      messages: 1n,
      message_bytes: 5n,
    })
    expect((await verify(workshop.archiveDir)).ok).toBe(true)
  })

  it('a second run reports the day as present, and changes none of its files', async () => {
    const pipeline = await workshop.pipeline()
    await workshop.archive(DAY)
    const before = files()
    workshop.clock.now += HOUR
    expect(await archiveDay(pipeline, DAY)).toEqual({ day: DAY, status: 'present' })
    expect(files()).toEqual(before)
  })

  it('a day names the newest earlier day and the hash of its bytes, also across a gap and when it is filled in later', async () => {
    const pipeline = await workshop.pipeline()
    await workshop.archive(NEXT, await workshop.archive('2026-11-10'))
    await archiveDay(pipeline, '2026-11-13')
    const { bytes } = (await pipeline.archive.reader.snapshot('2026-11-10'))!
    expect((await snapshotOf(pipeline, '2026-11-13')).previous).toEqual({
      day: '2026-11-10',
      sha256: sha256Of(bytes),
    })
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true })
  })

  it('a run fails and names the file when a day is damaged just after publication', async () => {
    const { snapshot, media } = lightDay(DAY, null)
    const pipeline = await workshop.pipeline()
    await pipeline.archive.writer.fixSnapshot(snapshot)
    const damage = () => {
      const names = readdirSync(join(workshop.archiveDir, DAY))
      const wav = names.find((name) => name.endsWith('.wav')) as string
      overwriteFile(join(workshop.archiveDir, DAY, wav), 'noise')
    }
    const place = new Proxy(pipeline.archive.place as FolderPlace, {
      get(target, method: keyof FolderPlace) {
        // The check of the published day begins with the entries of the folder.
        if (method === 'entries') damage()
        const own = target[method]
        return typeof own === 'function' ? own.bind(target) : own
      },
    })
    const sound = {
      bytes: media.wav,
      properties: { duration_seconds: 29.14 },
      samples: new Int16Array(),
      decoding: decode(media.wav),
    }
    const none = { reason: 'render_failed', message: 'not drawn' } as const
    const rendered = { snapshot, attempts: { ...eachKind(() => none), wav: sound } }
    await expect(
      sealDay({ ...pipeline, archive: { ...pipeline.archive, place } }, rendered),
    ).rejects.toThrow(/^was published but is damaged: .*\.wav has the SHA-256 /)
  })

  it('a day is not archived when the manifest of its predecessor is damaged', async () => {
    const pipeline = await workshop.pipeline()
    await workshop.archive(DAY)
    const path = join(workshop.archiveDir, DAY, manifestName(DAY))
    overwriteFile(path, readFileSync(path, 'utf8').replace('active', 'lively'))
    await expect(archiveDay(pipeline, NEXT)).rejects.toThrow(
      `cannot name ${DAY} as its predecessor: ${DAY}/${DAY}.manifest.json`,
    )
    expect(await pipeline.archive.reader.days()).toEqual([DAY])
  })

  it('a day whose counter cannot be read is inconclusive, and the message names the counter', async () => {
    await workshop.records.alive(dayStart(DAY), dayStart(NEXT))
    await workshop.database.write((tx) => sql`drop table reviews`.execute(tx))
    const pipeline = await workshop.pipeline()
    const { message } = await archiveDay(pipeline, DAY)
    expect(message).toContain('no reviews: no such table: reviews')
    expect(await snapshotOf(pipeline, DAY)).toMatchObject({
      counters: { reviews: null, messages: '0' },
      availability: { reviews: false, messages: true },
      coverage: {
        status: 'complete',
        reasons: [
          {
            code: 'counter_failed',
            from: '2026-11-18T00:00:00.000Z',
            to: '2026-11-19T00:00:00.000Z',
          },
        ],
      },
      conclusion: 'inconclusive',
    })
    expect((await verify(workshop.archiveDir)).ok).toBe(true)
  })

  inFull('a feature that was off all day has null counters, whatever was recorded', async () => {
    const { records } = workshop
    const from = dayStart(DAY)
    await records.directory('garden', from + HOUR)
    await records.alive(from, from + 24 * HOUR, { disabled: 'directories,investigations' })
    const pipeline = await workshop.pipeline()
    await archiveDay(pipeline, DAY)
    const { counters, coverage } = await snapshotOf(pipeline, DAY)
    const missing = Object.entries(counters).filter(([, value]) => value === null)
    const counted = ['messages', 'message_bytes', 'active_directories']
    expect(missing.map(([name]) => name)).toEqual(
      COUNTER_NAMES.filter((name) => !counted.includes(name)),
    )
    expect(coverage.reasons.map(({ code }) => code)).toEqual(['feature_disabled'])
  })
})

describe('failures of ffmpeg', () => {
  /** Writes an ffmpeg that runs `body` instead of encoding. */
  function failing(body: string): Ffmpeg {
    const path = join(workshop.dir, 'ffmpeg')
    // fluent-ffmpeg queries the capabilities of one ffmpeg for each process, and assumes them of all.
    const script = `#!/bin/sh
case "$*" in
  *-formats*) printf ' DE mp4 x\\n D  lavfi x\\n' ;;
  *-encoders*) printf ' V....D libx264 x\\n A....D aac x\\n' ;;
  *) ${body} ;;
esac
`
    writeFileSync(path, script, { mode: 0o755 })
    return { path, version: 'broken' }
  }

  inFull('a day is published without its film when ffmpeg fails', async () => {
    const ffmpeg = failing("echo 'Unknown encoder' >&2; exit 1")
    const pipeline = await workshop.pipeline({ ffmpeg })
    expect(await archiveDay(pipeline, DAY)).toEqual({
      day: DAY,
      status: 'published',
      message: 'no film: ffmpeg failed: Unknown encoder',
    })
    const { manifest } = (await pipeline.archive.reader.manifest(DAY))!
    expect(manifest.media.mp4).toEqual({ available: false, reason: 'render_failed' })
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  it('when the film cannot be written, the error names the folder and the day is left to the next run', async () => {
    const workDir = join(workshop.dir, 'daysignal.sqlite', 'films')
    const pipeline = await workshop.pipeline({ ffmpeg: failing('exit 1') })
    const elsewhere = { ...pipeline, archive: { ...pipeline.archive, workDir } }
    await expect(archiveDay(elsewhere, DAY)).rejects.toThrow(`${workDir}: cannot be written`)
    expect(await pipeline.archive.reader.days()).toEqual([])
  })

  inFull.each([
    ['is killed', 'kill -9 $$'],
    ['ends after a signal', 'exit 255'],
  ])('when ffmpeg %s, the day is left to the next run', async (_what, body) => {
    const pipeline = await workshop.pipeline({ ffmpeg: failing(body) })
    await expect(archiveDay(pipeline, DAY)).rejects.toThrow('ffmpeg was ended by a signal')
    expect(await pipeline.archive.reader.days()).toEqual([])
  })
})

describe('an ffmpeg that cannot be run at the moment', () => {
  const ffmpegShortage = new FfmpegShortage('/usr/bin/ffmpeg does not run (EMFILE)')
  /** The end of DAY, and how long it waits. */
  const ends = dayStart(NEXT)

  it('a day is left to the next run until 24 h after its end, and then has no film', async () => {
    const pipeline = await workshop.pipeline({ ffmpegShortage })
    workshop.clock.now = ends + 24 * HOUR - 1
    await expect(archiveDay(pipeline, DAY)).rejects.toThrow(
      'left to the next run, as no ffmpeg can be run now: /usr/bin/ffmpeg does not run (EMFILE)',
    )
    expect(await pipeline.archive.reader.days()).toEqual([])
    workshop.clock.now = ends + 24 * HOUR
    expect(await archiveDay(pipeline, DAY)).toEqual({
      day: DAY,
      status: 'published',
      message: `no film: ${ffmpegShortage.message}`,
    })
    const { manifest } = (await pipeline.archive.reader.manifest(DAY))!
    expect(manifest.media.mp4).toEqual({ available: false, reason: 'ffmpeg_not_found' })
  })

  it('a repair of a day without a film fails and names the shortage', async () => {
    await archiveDay(await workshop.pipeline(), DAY)
    const repaired = async (tools: Partial<RunTools>) => {
      const outcomes: DayOutcome[] = []
      await repairDays(await workshop.pipeline(tools), [DAY], (outcome) => outcomes.push(outcome))
      return outcomes
    }
    expect(await repaired({ ffmpegShortage })).toEqual([
      { day: DAY, status: 'failed', message: `mp4: ${ffmpegShortage.message}` },
    ])
    expect(await repaired({})).toEqual([{ day: DAY, status: 'present' }])
  })
})

describe('interrupted runs', () => {
  /** Interrupts a run during rendering, when the snapshot is fixed and nothing is published. */
  async function interrupt(day: string): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    const report: RunReport = {
      ...UNHEARD,
      progress(_day, stage) {
        if (stage === 'film') controller.abort(new Error('interrupted'))
      },
    }
    const pipeline = await workshop.pipeline({}, { signal, report })
    await expect(archiveDay(pipeline, day)).rejects.toThrow('interrupted')
  }

  it('the next run continues from the snapshot that an interrupted run has fixed', async () => {
    await interrupt(DAY)
    const garden = await workshop.records.directory('garden', dayStart(DAY))
    await workshop.records.message(garden, dayStart(DAY), 'too late for this snapshot')
    workshop.clock.now += HOUR
    const pipeline = await workshop.pipeline()
    expect(await pipeline.archive.reader.days()).toEqual([])
    expect((await archiveDay(pipeline, DAY)).status).toBe('published')
    expect(await snapshotOf(pipeline, DAY)).toMatchObject({
      generated_at: '2026-11-20T00:05:00.000Z',
      counters: { messages: '0' },
    })
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  })

  /** Moves the time of a fixed snapshot into its day. */
  function contradict(path: string): void {
    const text = readFileSync(path, 'utf8')
    overwriteFile(path, text.replace('"2026-11-20T00:05:00.000Z"', `"${DAY}T23:59:59.999Z"`))
  }

  it('a run does not seal a day whose fixed snapshot contradicts itself', async () => {
    await interrupt(DAY)
    contradict(join(workshop.archiveDir, DAY, `${DAY}.json`))
    const pipeline = await workshop.pipeline()
    await expect(archiveDay(pipeline, DAY)).rejects.toThrow(
      `${DAY}.json: contradicts itself: generated_at: must not be before the end of the day`,
    )
    expect(await pipeline.archive.reader.days()).toEqual([])
  })

  it.each([
    ['an earlier', NEXT, DAY],
    ['a later', DAY, NEXT],
  ])(
    'the next run keeps the fixed snapshot when %s day was published meanwhile',
    async (_, day, other) => {
      await interrupt(day)
      workshop.clock.now += HOUR
      const pipeline = await workshop.pipeline()
      await workshop.archive(other)
      await archiveDay(pipeline, day)
      expect(await snapshotOf(pipeline, day)).toMatchObject({
        generated_at: '2026-11-20T00:05:00.000Z',
        previous: null,
      })
      const report = await verify(workshop.archiveDir)
      expect(report.ok).toBe(true)
      expect(findingsIn(report)).toMatchObject([{ code: 'filled_in_later' }])
    },
  )
})
