// Provides each test with a new archive and its writer.
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import type { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeDay } from '../days.ts'

export const DAY = '2026-11-19'
/** A day for tests to publish. */
export const day = makeDay(DAY, null)

export interface NewArchive {
  dir: string
  writer: ArchiveWriter
}

/** Creates an archive before each test of the file, and removes it afterwards. */
export function newArchive(): NewArchive {
  const at = {} as NewArchive
  beforeEach(async () => {
    at.dir = join(temporaryFolder(), 'archive')
    at.writer = await openWriter(at.dir, { create: true })
  })
  return at
}
