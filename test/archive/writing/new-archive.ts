// A new archive in a folder of its own for each test, and its writer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type ArchiveWriter, openWriter } from '../../../archive/writing/writer.ts'
import { makeDay } from '../days.ts'

export const DAY = '2026-11-19'
/** What a test may publish in it. */
export const day = makeDay(DAY, null)

export interface NewArchive {
  dir: string
  writer: ArchiveWriter
}

/** Is made before each test of the file. */
export function newArchive(): NewArchive {
  const at = {} as NewArchive
  beforeEach(async () => {
    at.dir = join(mkdtempSync(join(tmpdir(), 'daysignal-writer-')), 'archive')
    at.writer = await openWriter(at.dir, { create: true })
  })
  afterEach(() => rmSync(join(at.dir, '..'), { recursive: true, force: true }))
  return at
}
