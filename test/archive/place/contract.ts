// The contract that every place must fulfil, as tests: of what can be read, and of what can be written, too.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { boundOf } from '../../../archive/format/bounds.ts'
import { dayOf, isDay, nextDay } from '../../../archive/format/calendar.ts'
import { keyOf, manifestKey, mediaName, snapshotKey } from '../../../archive/format/paths.ts'
import type { Place, WritablePlace } from '../../../archive/place/place.ts'
import { type Day, filenameOf } from '../days.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const DAY = '2026-11-19'
const SNAPSHOT = `${DAY}/${DAY}.json`

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
      const file = await place.get(key)
      expect(Buffer.from(file?.content ?? []), key).toEqual(expected)
      const state = { bytes: expected.length, version: file?.version }
      expect(await place.stat(key), key).toEqual(state)
      if (place.read) expect((await place.read(key)).content, key).toEqual(file?.content)
    }
  })

  it('a part of a file is read', async () => {
    const place = await open()
    const key = snapshotKey(days[0]?.snapshot.day ?? '')
    const expected = readFileSync(join(dir(), key))
    const textOf = async (start: number, end: number) =>
      new Response(await place.open(key, start, end)).text()
    expect(await textOf(2, 4)).toBe(expected.subarray(2, 5).toString())
    expect(await textOf(0, expected.length - 1)).toBe(expected.toString())
    expect(await textOf(0, -1)).toBe('')
  })

  it('a missing file is null', async () => {
    const place = await open()
    for (const key of missing) {
      expect(await place.get(key), key).toBeNull()
      expect(await place.stat(key), key).toBeNull()
      expect(await place.open(key, 0, 1), key).toBeNull()
      expect(await place.open(key, 0, -1), key).toBeNull()
      if (place.read) await expect(place.read(key)).rejects.toMatchObject({ code: 'missing' })
    }
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
      await expect(place.get(key)).rejects.toEqual(error)
      await expect(place.stat(key)).rejects.toEqual(error)
      await expect(place.open(key, 0, 1)).rejects.toEqual(error)
    }
  })
}

/** Declares the tests of what can be written, too. @param open returns an empty place */
export function testWritablePlace(open: () => Promise<WritablePlace>): void {
  const textAt = async (place: WritablePlace, key: string) => {
    const file = await place.get(key)
    return file && Buffer.from(file.content).toString()
  }

  it('a file that was put can be listed, and read whole and in part', async () => {
    const place = await open()
    const today = dayOf(Date.now())
    await place.put(SNAPSHOT, bytes('0123456789'))
    await place.put('log', bytes('a line\n'))
    expect(await textAt(place, SNAPSHOT)).toBe('0123456789')
    const part = await place.open(SNAPSHOT, 2, 4)
    expect(await new Response(part).text()).toBe('234')
    const nothing = await place.open(SNAPSHOT, 0, -1)
    expect(await new Response(nothing).text()).toBe('')
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

  it('a file that is too large is read only one byte beyond its bound', async () => {
    const place = await open()
    await place.put('checkpoint', new Uint8Array(1024 * 1024))
    expect((await place.get('checkpoint'))?.content).toHaveLength(boundOf('checkpoint') + 1)
    expect((await place.stat('checkpoint'))?.bytes).toBe(1024 * 1024)
  })

  it('a missing file is null, and removing it succeeds', async () => {
    const place = await open()
    expect(await place.get('log')).toBeNull()
    expect(await place.stat(SNAPSHOT)).toBeNull()
    expect(await place.open(SNAPSHOT, 0, 1)).toBeNull()
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
    expect(second).toBe((await place.get('log'))?.version)
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
