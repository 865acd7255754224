// A bit of `log`, `checkpoint` or `key` that flips on the way to a reader: the error names the file.
// Rules: WRITING.md 1.7.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { WritablePlace } from '../../../archive/place/place.ts'
import { DayLog } from '../../../archive/writing/day-log.ts'
import { temporaryFolder } from '../../support/release.ts'
import { runs } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { verified } from '../decoding.ts'
import {
  type FileServer,
  makeDays,
  mirrorFrom,
  publishSigned,
  serveFolder,
} from '../mirror/signed-archive.ts'
import { type MemoryKeeper, memoryKeeper, ORIGIN, testKey } from '../signing.ts'

let root: string
let archive: string
let server: FileServer
let keeper: MemoryKeeper
let flipped: { name: string; bit: number } | null = null

beforeAll(async () => {
  root = temporaryFolder()
  archive = join(root, 'archive')
  keeper = memoryKeeper()
  await publishSigned(archive, makeDays(1), keeper)
  server = await serveFolder(archive)
  server.tamper = ({ url = '' }, response, bytes) => {
    if (url !== `/${flipped?.name}`) return false
    response.writeHead(200).end(changed(bytes))
    return true
  }
})

function changed(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const { bit } = flipped ?? { bit: 0 }
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

/** The archive as a run sees it. */
function tamperedPlace(): WritablePlace {
  const place = folderPlace(archive)
  const read = async (key: string) => {
    const file = await place.read(key)
    const isFlipped = 'content' in file && key === flipped?.name
    return isFlipped ? { ...file, content: changed(file.content) } : file
  }
  return new Proxy(place, {
    get(target, name: keyof WritablePlace) {
      const own = name === 'read' ? read : target[name]
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}

/** Runs `read` with flipped bits of a file, and expects each error to name it. */
async function expectNamed(name: string, read: () => Promise<string>): Promise<void> {
  const { length } = readFileSync(join(archive, name))
  const bits = fc.integer({ min: 0, max: 8 * length - 1 })
  const property = fc.asyncProperty(bits, async (bit) => {
    flipped = { name, bit }
    const message = await read().finally(() => {
      flipped = null
    })
    expect(message).toMatch(new RegExp(`(^|[/ ])${name}\\b`))
    expect(message).not.toContain('\n')
  })
  await fc.assert(property, { numRuns: runs(10, 40) })
}

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error) => (error as Error).message,
  )

describe.each(['log', 'checkpoint', 'key'])('a flipped bit of %s', (name) => {
  test('a mirror names the file', async () => {
    const dir = join(root, `mirror-${name}`)
    const mirror = () => mirrorFrom(server.url, dir, { selection: { media: [] }, jobs: 1 })
    await expectNamed(name, async () => (await mirror()).findings[0]?.message ?? '')
  })

  test('a verifier names the file', async () => {
    const verify = async () => {
      const { findings } = await verified(await openServed(server.url), { quick: true })
      return findings.find(({ file }) => file === `/${name}`)?.file ?? 'no finding'
    }
    await expectNamed(name, verify)
  })
})

describe('a run', () => {
  const signers = [{ name: ORIGIN, privateKey: testKey(1) }]
  const open = async (place: WritablePlace) => {
    const log = new DayLog(place, keeper, signers)
    await log.reread()
    return log
  }

  test.each(['log', 'checkpoint'])('names %s when it opens the log', async (name) => {
    await expectNamed(name, () => failureOf(open(tamperedPlace())))
  })

  test('names key when it publishes its own', async () => {
    const place = tamperedPlace()
    const log = await open(place)
    await expectNamed('key', () => failureOf(log.publishKeys()))
  })
})
