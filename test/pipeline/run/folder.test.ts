// Tests how the archive's folder is created at the first start, and required later, and that one pipeline runs on it at a
// time, across processes and their deaths.
// Rules: API.md 9.4; WRITING.md 1.1; COMMANDS.md 2.5.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ensureArchiveFolder } from '../../../server/data/archive-folder.ts'
import { lockArchive, PipelineBusy } from '../../../server/data/pipeline-lock.ts'
import { temporaryFolder } from '../../support/release.ts'
import { workshopForEach } from '../workshop.ts'

const workshop = workshopForEach()
const ensure = () => ensureArchiveFolder(workshop.database, workshop.archiveDir)

describe("the archive's folder", () => {
  it('a folder at another path is created when the setting changes', async () => {
    await ensure()
    const other = `${workshop.archiveDir}-other`
    expect(await ensureArchiveFolder(workshop.database, other)).toBe(true)
    expect(existsSync(other)).toBe(true)
  })

  it('the folder may exist before the first start', async () => {
    mkdirSync(workshop.archiveDir)
    expect(await ensure()).toBe(true)
  })

  it('a file with the name of the folder is an error of one line', async () => {
    writeFileSync(workshop.archiveDir, '')
    await expect(ensure()).rejects.toThrow(/transmissions: is not a folder$/)
  })
})

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

describe('the archive lock', () => {
  it('the lock is free after a kill -9 of the process that held it', async () => {
    const module = new URL('../../../server/data/pipeline-lock.ts', import.meta.url)
    const script = `const { lockArchive } = await import(${JSON.stringify(module)})
      // Otherwise the lock may be collected, and released.
      globalThis.release = lockArchive(${JSON.stringify(dir)})
      console.error('held')
      setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script])
    await once(holder.stderr, 'data')
    expect(() => lockArchive(dir)).toThrow(PipelineBusy)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    lockArchive(dir)()
  })

  it('the lock leaves only one empty file with a dot name in the archive', () => {
    lockArchive(dir)()
    expect(readdirSync(dir)).toEqual(['.pipeline.lock'])
  })

  it('locking a missing folder fails with one line', () => {
    expect(() => lockArchive(join(dir, 'gone'))).toThrow(/gone.*cannot be locked/)
  })
})
