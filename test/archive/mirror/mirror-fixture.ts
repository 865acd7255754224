// A fixture, fresh for each test: an origin with two signed days behind a plain file server, and a mirror folder.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import type { ClientOptions } from '../../../archive/http/client.ts'
import type { MirrorOptions, MirrorReport } from '../../../archive/mirror/mirror.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type Day, filenameOf } from '../days.ts'
import { type MemoryKeeper, memoryKeeper } from '../signing.ts'
import {
  type FileServer,
  filesIn,
  makeDays,
  mirrorFrom,
  publishSigned,
  serveFolder,
  type Tamper,
} from './signed-archive.ts'

/** The two days of the origin, and a third that it can publish. */
export const days = makeDays(3) as [Day, Day, Day]

/** The URL path of a day's WAV. */
export const wav = (number: 1 | 2 | 3) =>
  `/2026-11-0${number}/${filenameOf(days[number - 1] as Day, 'wav')}`

export const codesOf = ({ findings }: Pick<MirrorReport, 'findings'>) =>
  findings.map(({ code }) => code)

/** The paths of all media in a folder. */
export const mediaIn = (folder: string) =>
  [...filesIn(folder).keys()].filter((name) => /\.(wav|mp4|png)$/.test(name)).sort()

/** Writes a file, replacing even a read-only one. */
export function put(folder: string, name: string, bytes: string | Uint8Array): void {
  rmSync(join(folder, name), { force: true })
  writeFileSync(join(folder, name), bytes)
}

/** Registers the fixture for the tests of a file. @param published the days of the origin */
export function mirrorFixture(published: readonly Day[] = days.slice(0, 2)) {
  /** Contains all other folders. */
  const root = temporaryFolder()
  /** The checkpoint in the origin's database after two days. */
  let kept: string | null
  const at = {
    root,
    /** The original of the origin's archive, copied for each test. */
    model: join(root, 'model'),
    /** The origin's archive. */
    source: '',
    /** The mirror's folder. */
    dir: '',
    server: undefined as unknown as FileServer,
    /** Mirrors the origin, without pauses. */
    mirror: (
      options: Partial<MirrorOptions> = {},
      timing: ClientOptions = {},
    ): Promise<MirrorReport> =>
      mirrorFrom(options.source ?? at.server.url, options.dir ?? at.dir, {
        client: { sleep: () => Promise.resolve(), ...timing },
        ...options,
      }),
    /** Answers requests for such paths in another way. */
    answer(path: string | RegExp, handle: (...exchange: Parameters<Tamper>) => void): void {
      at.server.tamper = (request, ...more) => {
        const { url = '' } = request
        const isMeant = typeof path === 'string' ? url === path : path.test(url)
        if (isMeant) handle(request, ...more)
        return isMeant
      }
    },
    /** Publishes the third day at the origin. */
    async publishThird(): Promise<void> {
      const keeper: MemoryKeeper = Object.assign(memoryKeeper(), { kept })
      await publishSigned(at.source, days.slice(2), keeper)
    },
    /** Expects every published file of the mirror to have the bytes of the origin. */
    expectOriginBytes(): void {
      const whole = new Map([...filesIn(at.model), ...filesIn(at.source)])
      for (const [name, bytes] of filesIn(at.dir)) {
        if (/^mirror\.json$|^\.incoming\/|^\.refused\/|SHA256SUMS$|\.sha256$/.test(name)) continue
        expect([...whole.keys()]).toContain(name)
        if (/\.(wav|mp4|png|json)$/.test(name))
          expect(sha256Of(bytes)).toBe(sha256Of(whole.get(name) as Buffer))
      }
    },
  }
  beforeAll(async () => {
    const keeper = memoryKeeper()
    await publishSigned(at.model, published, keeper)
    kept = keeper.kept
  })
  beforeEach(async () => {
    const place = mkdtempSync(join(root, 'case-'))
    at.source = join(place, 'source')
    at.dir = join(place, 'mirror')
    cpSync(at.model, at.source, { recursive: true })
    at.server = await serveFolder(at.source)
  })
  return at
}
