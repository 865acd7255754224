// The contract that every place must fulfil, as tests: of what can be read, and of what can be written, too.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dayOf, isDay, nextDay } from '../../../archive/format/calendar.ts'
import { keyOf, manifestKey, mediaName, snapshotKey } from '../../../archive/format/paths.ts'
import {
  errorOf,
  type Place,
  readExisting,
  readUsable,
  update,
  type WritablePlace,
} from '../../../archive/place/place.ts'
import { type Day, filenameOf } from '../days.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const DAY = '2026-11-19'
const SNAPSHOT = `${DAY}/${DAY}.json`

/** The content of a file; null if it cannot be read. */
export async function contentAt(place: Place, key: string): Promise<Uint8Array | null> {
  const file = await place.read(key)
  return 'content' in file ? file.content : null
}

/** A part of a file as text. @throws ArchiveError if it cannot be read */
async function partAt(place: Place, key: string, start: number, end: number): Promise<string> {
  const part = await place.open(key, start, end)
  if ('problem' in part) throw errorOf(place, key, part, 'invalid_log')
  return new Response(part).text()
}

/** A signed archive in a folder, and the places at which it can be read. */
export interface Readable {
  /** The folder that contains the same files. */
  dir(): string
  days: readonly Day[]
  open(): Promise<Place>
  /** Opens a place that is missing or unreachable. */
  openNowhere(): Promise<Place>
}

/** Declares the tests of what every place can do. */
export function testPlace({ dir, days, open, openNowhere }: Readable): void {
  const keys = () => [
    ...['log', 'checkpoint', 'key', 'SHA256SUMS'],
    ...days.flatMap((made) => {
      const { day } = made.snapshot
      return [manifestKey(day), snapshotKey(day), keyOf(day, filenameOf(made, 'png'))]
    }),
  ]
  const missing = [
    'mirror.json',
    snapshotKey('2025-01-01'),
    manifestKey('2025-01-01'),
    keyOf('2025-01-01', mediaName('0'.repeat(64), 'wav')),
  ]

  it('each file is read whole, in the state that is stated for it', async () => {
    const place = await open()
    for (const key of keys()) {
      const expected = readFileSync(join(dir(), key))
      const file = await place.read(key)
      if ('problem' in file) throw new Error(`${key}: ${file.problem.message}`)
      expect(Buffer.from(file.content), key).toEqual(expected)
      const state = { bytes: expected.length, version: file.version }
      expect(await place.stat(key), key).toEqual(state)
    }
  })

  it('a part of a file is read', async () => {
    const place = await open()
    const key = snapshotKey(days[0]?.snapshot.day ?? '')
    const expected = readFileSync(join(dir(), key))
    const textOf = (start: number, end: number) => partAt(place, key, start, end)
    expect(await textOf(2, 4)).toBe(expected.subarray(2, 5).toString())
    expect(await textOf(0, expected.length - 1)).toBe(expected.toString())
    expect(await textOf(0, -1)).toBe('')
  })

  it('a missing file has no state, and is a problem of its own', async () => {
    const place = await open()
    for (const key of missing) {
      const missing = { problem: { code: 'missing' } }
      expect(await place.stat(key), key).toBeNull()
      expect(await place.read(key), key).toMatchObject(missing)
      expect(await place.open(key, 0, 1), key).toMatchObject(missing)
      expect(await place.open(key, 0, -1), key).toMatchObject(missing)
      expect(await readExisting(place, key, 'invalid_log'), key).toBeNull()
      expect(await readUsable(place, key), key).toBeNull()
    }
  })

  it('a file that is larger than it may be is not read', async () => {
    const place = await open()
    const large = { problem: { code: 'too_large', message: expect.stringMatching(/ 8( bytes)?$/) } }
    expect(await place.read('log', 8)).toMatchObject(large)
  })

  it('the days are found', async () => {
    const folders = await (await open()).folders()
    expect(folders.filter(isDay).sort()).toEqual(days.map(({ snapshot }) => snapshot.day))
  })

  it('a place that is missing or unreachable is an error, and no empty archive', async () => {
    const place = await openNowhere()
    const error = expect.objectContaining({ code: 'archive_unavailable' })
    await expect(place.folders()).rejects.toEqual(error)
    for (const key of ['log', snapshotKey('2025-01-01')]) {
      await expect(readExisting(place, key, 'invalid_log')).rejects.toEqual(error)
      await expect(readUsable(place, key)).rejects.toEqual(error)
      await expect(place.stat(key)).rejects.toEqual(error)
      await expect(partAt(place, key, 0, 1)).rejects.toEqual(error)
    }
  })
}

/** Declares the tests of what can be written, too. @param open returns an empty place */
export function testWritablePlace(open: () => Promise<WritablePlace>): void {
  const textAt = async (place: WritablePlace, key: string) => {
    const content = await contentAt(place, key)
    return content && Buffer.from(content).toString()
  }

  it('a file that was put can be listed, and read whole and in part', async () => {
    const place = await open()
    const today = dayOf(Date.now())
    await place.put(SNAPSHOT, bytes('0123456789'))
    await place.put('log', bytes('a line\n'))
    expect(await textAt(place, SNAPSHOT)).toBe('0123456789')
    expect(await partAt(place, SNAPSHOT, 2, 4)).toBe('234')
    expect(await partAt(place, SNAPSHOT, 0, -1)).toBe('')
    expect(await place.folders()).toEqual([DAY])
    const listed = await place.list(DAY)
    expect(listed.map(({ name, bytes }) => [name, bytes])).toEqual([[`${DAY}.json`, 10]])
    // If midnight passes meanwhile, either day.
    expect([today, nextDay(today)]).toContain(dayOf(listed[0]?.modifiedAt ?? 0))
    expect((await place.list('.')).map(({ name }) => name)).toEqual(['log'])
    expect((await place.stat(SNAPSHOT))?.bytes).toBe(10)
    const all = await place.listAll()
    expect([...all.keys()].sort()).toEqual([SNAPSHOT, 'log'])
    expect(all.get(SNAPSHOT)).toEqual(await place.stat(SNAPSHOT))
  })

  it('a file that is larger than its bound is not read, and can be replaced', async () => {
    const place = await open()
    await place.put('checkpoint', new Uint8Array(1024 * 1024))
    expect(await place.read('checkpoint')).toMatchObject({ problem: { code: 'too_large' } })
    expect((await place.stat('checkpoint'))?.bytes).toBe(1024 * 1024)
    expect(await place.putIfAbsent('checkpoint', bytes('1'))).toBeNull()
    expect(await update(place, 'checkpoint', bytes('1'))).toBe(true)
    expect(await textAt(place, 'checkpoint')).toBe('1')
  })

  it('removing a missing file succeeds', async () => {
    const place = await open()
    expect(await place.list(DAY)).toEqual([])
    await place.remove('log')
  })

  it('files that are written at the same time do not disturb each other', async () => {
    const place = await open()
    const names = Array.from({ length: 12 }, (_, index) => `${DAY}/${index}.txt`)
    await Promise.all(names.map((name) => place.put(name, bytes(name))))
    for (const name of names) expect(await textAt(place, name)).toBe(name)
  })

  it('putIfAbsent creates a file, and never replaces one', async () => {
    const place = await open()
    expect(await place.putIfAbsent('log', bytes('first'))).not.toBeNull()
    expect(await place.putIfAbsent('log', bytes('second'))).toBeNull()
    expect(await textAt(place, 'log')).toBe('first')
    expect(await place.putIfAbsent('log', bytes('first'))).toBe((await place.stat('log'))?.version)
  })

  it('replace fails once the file is no longer the version that was read', async () => {
    const place = await open()
    const first = await place.replace('log', bytes('1'), null)
    expect(first).not.toBeNull()
    const second = await place.replace('log', bytes('12'), first)
    expect(await place.read('log')).toMatchObject({ version: second })
    expect(await place.replace('log', bytes('13'), first)).toBeNull()
    expect(await place.replace('log', bytes('14'), null)).toBeNull()
    expect(await textAt(place, 'log')).toBe('12')
    expect(await place.replace('log', bytes('12'), first)).toBe(second)
  })

  it('a version changes whenever the content does', async () => {
    const place = await open()
    await place.put('log', bytes('1'))
    const before = (await place.stat('log'))?.version
    await place.put('log', bytes('2'))
    expect((await place.stat('log'))?.version).not.toBe(before)
    await place.remove('log')
    expect(await place.stat('log')).toBeNull()
  })
}
