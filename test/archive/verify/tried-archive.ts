// An archive of three days in a folder of its own for each test, and what verify finds once the test has changed it.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type VerifyOptions, verifyArchive } from '../../../archive/verify/archive.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { type Day, lay, makeDay, publish } from '../days.ts'
import { decode } from '../decoding.ts'

export const first = makeDay('2026-11-17', null)
export const second = makeDay('2026-11-18', first)
export const third = makeDay('2026-11-19', second)

/** "code file" of everything that was found, of the archive and of its days. */
export function found(report: Report): string[] {
  const all = [...report.findings, ...report.days.flatMap((day) => day.findings)]
  return all.map(({ code, file }) => `${code} ${file}`)
}

/** Lays the archive down again before each test of the file. */
export function triedArchive() {
  let root: string
  let model: string
  let dir: string
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'daysignal-verify-'))
    model = join(root, 'model')
    const writer = await openWriter(model, { create: true })
    for (const day of [first, second, third]) await publish(writer, day)
  })
  beforeEach(() => {
    dir = join(root, 'tried')
    rmSync(dir, { recursive: true, force: true })
    cpSync(model, dir, { recursive: true })
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const path = (...names: string[]) => join(dir, ...names)
  return {
    /** A path in the archive; without names, its folder. */
    path,
    /** A path next to the archive. */
    outside: (name: string) => join(root, name),
    verify: (options: VerifyOptions = {}) =>
      verifyArchive(folderSource(dir), { decode, ...options }),
    /** Changes a file that the archive has made read-only. */
    overwrite: (name: string, content: string | Uint8Array) => overwriteFile(path(name), content),
    /** Replaces the archive by one made by hand, without what the writer records of manifests. */
    layAll(...days: Day[]): void {
      rmSync(dir, { recursive: true })
      mkdirSync(dir)
      for (const day of days) lay(dir, day)
    },
  }
}
