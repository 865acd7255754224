// The contract that every implementation of WritablePlace must fulfil, as tests.
import { expect, it } from 'vitest'
import { dayOf, nextDay } from '../../../archive/format/paths.ts'
import type { WritablePlace } from '../../../archive/place/place.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const DAY = '2026-11-19'
const SNAPSHOT = `${DAY}/${DAY}.json`

/** Declares the tests. @param open returns an empty place */
export function testPlace(open: () => Promise<WritablePlace>): void {
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
    expect((await place.get('checkpoint'))?.content).toHaveLength(128 * 1024 + 1)
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
