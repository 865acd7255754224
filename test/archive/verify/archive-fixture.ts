// A fixture for verify: an archive of three days, copied for each test, which may damage it.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach } from 'vitest'
import type { VerifyOptions } from '../../../archive/verify/archive.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { type Day, makeDay, publish, writeDay } from '../days.ts'
import { verified } from '../decoding.ts'
import { openTestLog } from '../signing.ts'

export const first = makeDay('2026-11-17', null)
export const second = makeDay('2026-11-18', first)
export const third = makeDay('2026-11-19', second)

/** Registers a fresh copy of the archive for each test of a file. */
export function archiveFixture() {
  const root = temporaryFolder()
  const [model, dir] = [join(root, 'model'), join(root, 'copy')]
  beforeAll(async () => {
    const days = [first, second, third]
    const writer = await openWriter(model, { create: true })
    for (const day of days) await publish(writer, day)
    await (await openTestLog(model)).append(days.map(({ snapshot }) => snapshot.day))
  })
  beforeEach(() => {
    rmSync(dir, { recursive: true, force: true })
    cpSync(model, dir, { recursive: true })
  })

  const path = (...names: string[]) => join(dir, ...names)
  return {
    /** A path in the archive; the archive's folder if called without names. */
    path,
    verify: (options: VerifyOptions = {}) => verified(dir, options),
    /** Overwrites a file, which the archive has made read-only. */
    overwrite: (name: string, content: string | Uint8Array) => overwriteFile(path(name), content),
    /** Replaces the archive by one without a log, which contains these days. */
    writeDays(...days: Day[]): void {
      rmSync(dir, { recursive: true })
      mkdirSync(dir)
      for (const day of days) writeDay(dir, day)
    },
  }
}
