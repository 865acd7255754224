// A log with two faces is found by every reader who names one honest copy, and honest copies never contradict each other.
// Rules: FORMAT.md 24.2; COMMANDS.md 4.3.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { refusedName } from '../../../archive/format/paths.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { temporaryFolder } from '../../support/release.ts'
import { verified } from '../decoding.ts'
import { forge, resign } from '../forger.ts'
import { put } from '../mirror/mirror-fixture.ts'
import { makeDays, mirrorFrom, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { memoryKeeper, openTestLog, vkeyOf } from '../signing.ts'

const days = makeDays(3)

let root: string
/** Two histories of the same log, of one, two and three days, each consistent in itself. */
const faces = { honest: [] as string[], forged: [] as string[] }

beforeAll(async () => {
  root = temporaryFolder()
  for (const count of [1, 2, 3]) {
    const honest = join(root, `honest-${count}`)
    await publishSigned(honest, days.slice(0, count))
    const forged = join(root, `forged-${count}`)
    cpSync(honest, forged, { recursive: true })
    const edit = {
      snapshot: ({ counters }: { counters: { directories: string | null } }) => {
        counters.directories = '77'
      },
    }
    await forge(forged, '2026-11-01', edit, 'replaced')
    faces.honest.push(honest)
    faces.forged.push(forged)
  }
})

/** A copy of an archive, to be changed. */
function copyOf(dir: string): string {
  const copy = join(mkdtempSync(join(root, 'copy-')), 'archive')
  cpSync(dir, copy, { recursive: true })
  return copy
}

async function urlsOf(dirs: readonly string[]): Promise<string[]> {
  const urls: string[] = []
  for (const dir of dirs) urls.push((await serveFolder(dir)).url)
  return urls
}

const client = { sleep: () => Promise.resolve() }

/** Verifies a folder against peers. @returns its findings as codes, and the files that were kept */
async function findings(dir: string, urls: readonly string[]) {
  const kept = new Map<string, Uint8Array>()
  const keep = async (name: string, bytes: Uint8Array) => {
    kept.set(refusedName(name, sha256Of(bytes)), bytes)
    return name
  }
  const log = { peers: { urls, client, keep } }
  const report = await verified(dir, { quick: true, log })
  return { ok: report.ok, codes: report.findings.map(({ code }) => code), report, kept }
}

/** Mirrors a folder into a new one, comparing with peers. */
async function mirrored(source: string, peers: readonly string[], dir?: string) {
  const target = dir ?? join(mkdtempSync(join(root, 'mirror-')), 'mirror')
  const report = await mirrorFrom((await serveFolder(source)).url, target, { peers })
  return { dir: target, ok: report.ok, codes: report.findings.map(({ code }) => code) }
}

const SIZES = [0, 1, 2]
const PAIRS = SIZES.flatMap((own) => SIZES.map((peer) => [own, peer] as const))

describe('two faces of one log', () => {
  test('each history is consistent for its own readers', async () => {
    for (const face of Object.values(faces))
      for (const [own, peer] of PAIRS) {
        const result = await findings(face[own] as string, await urlsOf([face[peer] as string]))
        expect(result.report.findings).toEqual([])
        expect(result.ok).toBe(true)
      }
  })

  test('verify finds the other history at any peer, whichever log is longer', async () => {
    for (const [own, peer] of PAIRS) {
      const [honest, forged] = [faces.honest[own] as string, faces.forged[peer] as string]
      for (const [mine, theirs] of [
        [honest, forged],
        [forged, honest],
      ] as const) {
        const { ok, codes, kept } = await findings(mine, await urlsOf([theirs]))
        expect(codes).toEqual(['split_view'])
        expect(ok).toBe(false)
        const notes = [...kept.values()].map((bytes) => Buffer.from(bytes).toString())
        for (const dir of [mine, theirs])
          expect(notes).toContain(readFileSync(join(dir, 'checkpoint'), 'utf8'))
      }
    }
  })

  test('a reader of the forged history finds it among many forged peers by one honest mirror', async () => {
    const [forged, honest] = [faces.forged[2] as string, faces.honest[1] as string]
    const { codes } = await findings(forged, await urlsOf([forged, ...faces.forged, honest]))
    expect(codes).toEqual(['split_view'])
  })

  test('mirror does not follow a log of which a peer shows another face, and keeps both notes', async () => {
    for (const [own, peer] of PAIRS) {
      const [mine, theirs] = [faces.forged[own] as string, faces.honest[peer] as string]
      const { dir, ok, codes } = await mirrored(mine, await urlsOf([theirs]))
      expect(codes).toEqual(['split_view'])
      expect(ok).toBe(false)
      expect(readdirSync(dir)).toEqual(['.refused'])
      const kept = readdirSync(join(dir, '.refused'))
      for (const source of [mine, theirs])
        expect(kept).toContain(
          refusedName('checkpoint', sha256Of(readFileSync(join(source, 'checkpoint')))),
        )
      const again = await mirrored(faces.honest[2] as string, await urlsOf([theirs]), dir)
      expect(again).toMatchObject({ ok: true, codes: [] })
    }
  })
})

describe('peers that show something else', () => {
  const own = () => faces.honest[1] as string

  test('a peer that does not answer is a note, unless none does', async () => {
    const gone = await serveFolder(own())
    await gone.close()
    const alone = await findings(own(), [gone.url])
    expect(alone).toMatchObject({ ok: false, codes: ['unreachable'] })
    const both = await findings(own(), [gone.url, ...(await urlsOf([own()]))])
    expect(both).toMatchObject({ ok: true, codes: ['peer_skipped'] })
    expect(await mirrored(own(), [gone.url])).toMatchObject({ ok: false, codes: ['unreachable'] })
    expect(await mirrored(own(), [gone.url, ...(await urlsOf([own()]))])).toMatchObject({
      ok: true,
      codes: ['peer_skipped'],
    })
  })

  test('a peer without a log is one that does not answer', async () => {
    const empty = join(root, 'empty')
    mkdirSync(empty, { recursive: true })
    expect((await findings(own(), await urlsOf([empty]))).codes).toEqual(['unreachable'])
  })

  test('a peer whose checkpoint no key of the log has signed shows another log', async () => {
    const other = copyOf(own())
    rmSync(join(other, 'checkpoint'))
    rmSync(join(other, 'key'))
    await (await openTestLog(other, { keeper: memoryKeeper(), keys: [2] })).append([])
    expect((await findings(own(), await urlsOf([other]))).codes).toEqual(['split_view'])
  })

  test('a peer that signed before the log had its new key has the same log', async () => {
    const rekeyed = copyOf(own())
    const keeper = memoryKeeper()
    keeper.kept = readFileSync(join(rekeyed, 'checkpoint'), 'utf8')
    await (await openTestLog(rekeyed, { keeper, keys: [2, 1] })).append([])
    const urls = await urlsOf([own()])
    const peers = { urls, client, keep: async () => null }
    const log = { keys: [parseVkey(vkeyOf(2))], peers }
    expect(await verified(rekeyed, { quick: true, log })).toMatchObject({
      ok: true,
      findings: [],
    })
  })

  test('a longer log that does not have the root of its checkpoint is another log', async () => {
    const longer = copyOf(faces.honest[2] as string)
    put(longer, 'log', readFileSync(join(faces.forged[2] as string, 'log')))
    expect((await findings(own(), await urlsOf([longer]))).codes).toEqual(['split_view'])
    put(longer, 'log', 'no log')
    expect((await findings(own(), await urlsOf([longer]))).codes).toEqual(['split_view'])
  })

  test.each([
    ['a page', '<!doctype html>'],
    ['nothing', ''],
    ['a note without signatures', 'a\n1\n'],
  ])('a peer that answers with %s instead of a checkpoint fails', async (_, content) => {
    const other = copyOf(own())
    put(other, 'checkpoint', content)
    expect(await findings(own(), await urlsOf([other]))).toMatchObject({
      ok: false,
      codes: ['invalid_checkpoint'],
    })
  })

  test('an archive without a log cannot be compared', async () => {
    const bare = copyOf(own())
    for (const name of ['log', 'checkpoint', 'key']) rmSync(join(bare, name))
    expect((await findings(bare, await urlsOf([own()]))).codes).toContain('log_missing')
  })

  test('a log that was signed again without its last day continues to the longer one', async () => {
    const shorter = copyOf(own())
    await resign(shorter, [])
    expect((await findings(own(), await urlsOf([shorter]))).codes).toEqual([])
  })
})
