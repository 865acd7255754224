// Tests that one pipeline runs at a time, across processes and their deaths.
// Rules: WRITING.md 1.1; COMMANDS.md 2.5.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { lockArchive, PipelineBusy } from '../../../server/data/pipeline-lock.ts'
import { temporaryFolder } from '../../support/release.ts'

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

describe('the archive lock', () => {
  it('locking fails while the lock is held, and succeeds after its release', () => {
    const release = lockArchive(dir)
    expect(() => lockArchive(dir)).toThrow(PipelineBusy)
    release()
    lockArchive(dir)()
  })

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
