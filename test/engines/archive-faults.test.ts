// An archive in an object store while runs are killed between operations, runs are concurrent, and responses are lost. After
// each, verify must find a whole archive.
// Rules: FORMAT.md 20.2-20.3; WRITING.md 3.2-3.4.
import { describe, expect, it, test } from 'vitest'
import { sha256Of } from '../../archive/format/hash.ts'
import { MEDIA_KINDS } from '../../archive/format/media.ts'
import { mediaName } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { Place, WritablePlace } from '../../archive/place/place.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { DayLog } from '../../archive/writing/day-log.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import type { ArchiveWriter } from '../../archive/writing/writer.ts'
import { makeManifest, makeSnapshot, picture, soundOf, video } from '../archive/days.ts'
import { decode } from '../archive/decoding.ts'
import { faultsIn } from '../archive/findings.ts'
import { type MemoryKeeper, memoryKeeper, ORIGIN, testKey } from '../archive/signing.ts'
import { KillSwitch, killAtEveryStep, PLACE_WRITES } from '../support/kill-switch.ts'
import { relay } from '../support/tcp-proxy.ts'
import { bucketWriter } from '../support/writers.ts'
import { openTestBucket } from './bucket.ts'

const DAYS = ['2026-11-18', '2026-11-19']
/** For a test that runs some hundred times. */
const ONE_DAY = DAYS.slice(0, 1)

/** What one run works with. */
interface Run {
  place: WritablePlace
  writer: ArchiveWriter
}

/** An empty archive. */
interface Archive {
  source: Place
  open(kill?: KillSwitch): Run
}

async function emptyBucket(endpoint?: string): Promise<Archive> {
  const source = await openTestBucket(endpoint)
  return {
    source,
    open(kill = new KillSwitch()) {
      const place = kill.over<WritablePlace>(source, PLACE_WRITES)
      return { place, writer: bucketWriter(place) }
    },
  }
}

const sounds = new Map<string, Uint8Array>()

/** The same snapshot gives the same bytes. Concurrent runs have different snapshots until one of them wins. */
function mediaOf(snapshot: Snapshot) {
  const wav = sounds.get(snapshot.day) ?? soundOf(snapshot)
  sounds.set(snapshot.day, wav)
  const shade = snapshot.generated_at.charCodeAt(18)
  return { wav, mp4: video(64, 36, 729, 25), png: picture(64, 36, shade) }
}

/** Does what the pipeline does, without rendering. @param second makes the snapshots of concurrent runs differ */
async function publish(
  { place, writer }: Run,
  keeper: MemoryKeeper,
  second = 0,
  days = DAYS,
): Promise<void> {
  const reader = new ArchiveReader(place)
  const signers = [{ name: ORIGIN, privateKey: testKey(1) }]
  const log = new DayLog(place, keeper, signers)
  await log.reread()
  expect(await log.append(await reader.days())).toEqual([])
  for (const day of days) {
    const sealed = await reader.days()
    if (sealed.includes(day)) continue
    const last = sealed.filter((other) => other < day).at(-1)
    const before = last === undefined ? null : await reader.snapshot(last)
    const previous = before && { day: before.snapshot.day, sha256: sha256Of(before.bytes) }
    const generated_at = `2026-11-20T00:00:0${second}.000Z`
    const fixed = await writer.fixedSnapshot(day)
    const snapshot =
      fixed ?? (await writer.fixSnapshot(makeSnapshot(day, { previous, generated_at })))
    const media = mediaOf(snapshot)
    for (const kind of MEDIA_KINDS) await writer.putMedium(day, kind, media[kind])
    await writer.seal(makeManifest(snapshot, media))
    expect(await log.append([day])).toEqual([])
  }
  await writeSums(place, reader, false)
}

async function expectWhole({ source }: Archive, days = DAYS): Promise<void> {
  const report = await verifyArchive(source, { decode, log: { pauseMs: 0 } })
  expect(faultsIn(report)).toEqual([])
  expect(report).toMatchObject({ ok: true, log: { size: days.length } })
  expect(report.days.map(({ day }) => day)).toEqual(days)
}

test('a run killed between any two of its operations is completed by the next one', async () => {
  let archive: Archive
  let keeper: MemoryKeeper
  const work = async (kill: KillSwitch) => {
    archive = await emptyBucket()
    keeper = memoryKeeper()
    await publish(archive.open(kill), keeper, 1, ONE_DAY)
  }
  const complete = async () => {
    await publish(archive.open(), keeper, 2, ONE_DAY)
    await expectWhole(archive, ONE_DAY)
  }
  expect(await killAtEveryStep(work, complete)).toBeGreaterThan(8)
}, 600_000)

describe('an object store that several runs write to', () => {
  const runThree = async (archive: Archive) => {
    const keeper = memoryKeeper()
    const runs = [1, 2, 3].map((second) => publish(archive.open(), keeper, second))
    await Promise.all(runs)
    await expectWhole(archive)
  }

  it('three concurrent runs publish the same days, and log each once', async () => {
    for (let round = 0; round < 3; round++) await runThree(await emptyBucket())
  }, 300_000)

  it('three concurrent runs do so even if every third response to a write is lost', async () => {
    const { access } = (await openTestBucket()).location
    let [writes, lost] = [0, 0]
    const { url } = await relay(
      () => Number(new URL(access.endpoint).port),
      (client, upstream) => {
        let isLost = false
        client.on('data', (bytes: Buffer) => {
          isLost ||= bytes.toString('latin1', 0, 4) === 'PUT ' && ++writes % 3 === 0
          upstream.write(bytes)
        })
        upstream.on('data', (bytes: Buffer) => {
          if (!isLost) return void client.write(bytes)
          lost++
          client.destroy()
        })
      },
    )
    for (let round = 0; round < 2; round++) await runThree(await emptyBucket(url))
    expect(lost).toBeGreaterThan(10)
  }, 300_000)

  it('a run killed while two others continue leaves whole days', async () => {
    for (let at = 2; at < 18; at += 3) {
      const archive = await emptyBucket()
      const keeper = memoryKeeper()
      const killed = publish(archive.open(new KillSwitch({ at, moment: 'after' })), keeper, 1)
      const others = [2, 3].map((second) => publish(archive.open(), keeper, second))
      await Promise.all([killed.catch(() => {}), ...others])
      await expectWhole(archive)
    }
  }, 300_000)

  it('media that no manifest names are removed once they are old and the day is sealed', async () => {
    const archive = await emptyBucket()
    const { place, writer } = archive.open()
    const [day = ''] = DAYS
    const orphan = mediaName('0'.repeat(64), 'wav')
    await place.put(`${day}/${orphan}`, Buffer.from('left by other tools'))
    const now = Date.now()
    const inTwoDays = now + 2 * 86_400_000
    expect(await writer.removeOrphans(day, inTwoDays)).toEqual([])
    await publish(archive.open(), memoryKeeper())
    expect(await writer.removeOrphans(day, now)).toEqual([])
    expect(await writer.removeOrphans(day, inTwoDays)).toEqual([orphan])
    await expectWhole(archive)
  })
})
