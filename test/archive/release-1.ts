// The archive and the database that release 1 made, copied for a test: the fixture is never written to.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseManifest } from '../../archive/format/manifest.ts'
import { type MediaKind, manifestName } from '../../archive/format/paths.ts'
import { openWriter } from '../../archive/writing/writer.ts'
import { inFolder } from '../../pipeline/archive.ts'
import { openCopy } from '../../pipeline/copy.ts'
import type { Ffmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { loadSharp } from '../../pipeline/render/font.ts'
import { repairDays } from '../../pipeline/repair.ts'
import type { DayOutcome } from '../../pipeline/session.ts'
import { openStore } from '../../server/store/database.ts'
import { openTestLog } from './signing.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'release-1')

/** With a film, and made without ffmpeg. */
export const FILMED = '2026-11-02'
export const SILENT = '2026-11-05'
export const DAYS = [FILMED, SILENT]

export interface Release1 {
  /** As DATA_DIR: holds daysignal.sqlite and transmissions/. */
  dataDir: string
  archiveDir: string
  /** Repairs a day with this Node and this sharp. @param copy whether from the archive as it was published */
  repair(day: string, options?: { copy?: boolean; ffmpeg?: Ffmpeg | null }): Promise<DayOutcome>
  /** Puts the archive back as it was. */
  reset(): void
  remove(): void
}

export function copyOfRelease1(): Release1 {
  const dataDir = mkdtempSync(join(tmpdir(), 'daysignal-release-1-'))
  const archiveDir = join(dataDir, 'transmissions')
  cpSync(FIXTURE, dataDir, { recursive: true })
  return {
    dataDir,
    archiveDir,
    async repair(day, { copy = false, ffmpeg = null } = {}) {
      const store = await openStore(join(dataDir, 'daysignal.sqlite'), { create: false })
      const log = await openTestLog(archiveDir)
      // As a run does before it repairs anything.
      await log.append(DAYS)
      const pipeline = {
        store,
        ...inFolder(archiveDir, await openWriter(archiveDir, { create: false })),
        log,
        ffmpeg,
        ffmpegs: () => (ffmpeg ? [ffmpeg] : []),
        renderConcurrency: 1,
        versions: { node: process.versions.node, sharp: (await loadSharp()).versions.sharp ?? '' },
        now: Date.now,
        signal: new AbortController().signal,
        onProgress() {},
      }
      const outcomes: DayOutcome[] = []
      const place = copy ? await openCopy(join(FIXTURE, 'transmissions')) : null
      await repairDays(pipeline, [day], (outcome) => outcomes.push(outcome), place)
      await store.close()
      return outcomes[0]!
    },
    reset: () => {
      rmSync(archiveDir, { recursive: true })
      cpSync(join(FIXTURE, 'transmissions'), archiveDir, { recursive: true })
    },
    remove: () => rmSync(dataDir, { recursive: true }),
  }
}

/** A file as it was published. */
export const published = (day: string, name: string): Buffer =>
  readFileSync(join(FIXTURE, 'transmissions', day, name))

/** The name of a medium that a day has. */
export function nameOf(day: string, kind: MediaKind): string {
  const medium = parseManifest(published(day, manifestName(day))).media[kind]
  if (!medium.available) throw new Error(`${day} has no ${kind}`)
  return medium.filename
}
