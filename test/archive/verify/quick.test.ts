// verify --quick checks everything except the content of media.
// Rules: COMMANDS.md 3.3.
import { describe, expect, it } from 'vitest'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place, WritablePlace } from '../../../archive/place/place.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { bucketWriter, openWriter } from '../../support/writers.ts'
import { filenameOf, makeDay, publish } from '../days.ts'

const DAY = '2026-11-19'
const day = makeDay(DAY, null)
const PNG = `${DAY}/${filenameOf(day, 'png')}`

const inBucket = () => bucketPlace(bucket.location, { random: () => 0 })

const dir = temporaryFolder()
await publish(await openWriter(dir, { create: true }), day)
const bucket = await startFakeBucket()
await publish(bucketWriter(await inBucket()), day)

const KINDS: [string, () => Promise<WritablePlace>][] = [
  ['a folder', async () => folderPlace(dir)],
  ['an object store', inBucket],
]

describe.each(KINDS)('a quick verification of %s', (_name, open) => {
  const check = async (place: Place) => {
    const { ok, days } = await verifyArchive(place, { quick: true })
    return { ok, codes: days[0]?.findings.map(({ code }) => code) }
  }

  it('a quick verification reads no media, and finds one that is missing or has another size', async () => {
    const place = await open()
    const read: string[] = []
    const noting = new Proxy(place, {
      get(target, method: keyof WritablePlace) {
        const own = target[method]
        if (typeof own !== 'function') return own
        return (key: string, ...more: never[]) => {
          if (method === 'read' || method === 'open') read.push(key)
          return (own as (...words: unknown[]) => unknown).call(target, key, ...more)
        }
      },
    })
    expect(await check(noting)).toEqual({ ok: true, codes: [] })
    expect(read).toContain('log')
    expect(read.filter((name) => /png|wav|mp4/.test(name))).toEqual([])
    await place.put(PNG, Buffer.alloc(day.media.png.length))
    expect(await check(place)).toEqual({ ok: true, codes: [] })
    expect((await verifyArchive(place)).ok).toBe(false)
    await place.put(PNG, Buffer.from('short'))
    expect(await check(place)).toEqual({ ok: false, codes: ['medium_size'] })
    await place.remove(PNG)
    expect(await check(place)).toEqual({ ok: false, codes: ['missing'] })
  })
})
