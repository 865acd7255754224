// Copies the archive and database fixtures that release 1 wrote, so that tests can modify them.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseManifest } from '../../archive/format/manifest.ts'
import type { MediaKind } from '../../archive/format/media.ts'
import { manifestName } from '../../archive/format/paths.ts'
import { inFolder } from '../../pipeline/archive.ts'
import { openCopy } from '../../pipeline/copy.ts'
import type { Ffmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { loadSharp } from '../../pipeline/render/font.ts'
import { repairDays } from '../../pipeline/repair.ts'
import type { DayOutcome } from '../../pipeline/session.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system.ts'
import { SHARED_RENDERERS } from '../support/renderings.ts'
import { openTestLog } from './signing.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'release-1')

export const FILMED = '2026-11-02'
/** Rendered without ffmpeg. */
export const UNFILMED = '2026-11-05'
export const DAYS = [FILMED, UNFILMED]

export interface Release1 {
  /** The DATA_DIR, with daysignal.sqlite and transmissions/. */
  dataDir: string
  archiveDir: string
  /** Repairs a day with the installed Node and sharp. @param copy repair from a copy, the original archive */
  repair(day: string, options?: { copy?: boolean; ffmpeg?: Ffmpeg | null }): Promise<DayOutcome>
  /** Restores the archive to its original state. */
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
      const database = await openDatabase(join(dataDir, 'daysignal.sqlite'), {
        clock: system.clock,
        create: false,
      })
      const log = await openTestLog(archiveDir)
      // A run does this too before it repairs anything.
      await log.append(DAYS)
      const pipeline = {
        database,
        ...inFolder(archiveDir, join(dataDir, '.cache')),
        log,
        ffmpeg,
        ffmpegShortage: null,
        ffmpegs: () => (ffmpeg ? [ffmpeg] : []),
        renderConcurrency: 1,
        ...SHARED_RENDERERS,
        versions: { node: process.versions.node, sharp: (await loadSharp()).versions.sharp ?? '' },
        clock: system.clock,
        signal: new AbortController().signal,
        onProgress() {},
      }
      const outcomes: DayOutcome[] = []
      const place = copy ? await openCopy(join(FIXTURE, 'transmissions')) : null
      await repairDays(pipeline, [day], (outcome) => outcomes.push(outcome), place)
      await database.close()
      return outcomes[0]!
    },
    reset: () => {
      rmSync(archiveDir, { recursive: true })
      cpSync(join(FIXTURE, 'transmissions'), archiveDir, { recursive: true })
    },
    remove: () => rmSync(dataDir, { recursive: true }),
  }
}

/** The original content of a file. */
export const published = (day: string, name: string): Buffer =>
  readFileSync(join(FIXTURE, 'transmissions', day, name))

/** The name of a media file of a day. */
export function nameOf(day: string, kind: MediaKind): string {
  const medium = parseManifest(published(day, manifestName(day))).media[kind]
  if (!medium.available) throw new Error(`${day} has no ${kind}`)
  return medium.filename
}
