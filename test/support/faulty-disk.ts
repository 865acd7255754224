// A disk on which one write fails: before it takes effect, halfway, or after it.
import { writeFileSync } from 'node:fs'
import { type Disk, realDisk } from '../../archive/base/durable.ts'

export interface Fault {
  /** Index of the write, from 0. */
  at: number
  /** `halfway` differs from `before` only for a write of bytes. */
  moment: 'before' | 'halfway' | 'after'
  /** A crash, after which every write fails; or the code of a single error. */
  kind: 'crash' | 'ENOSPC' | 'EIO'
}

export interface Write {
  name: keyof Disk
  path: string
}

/** Returns the real disk with at most one fault, and a list of the writes that were requested. */
export function faultyDisk(fault?: Fault): { disk: Disk; writes: Write[] } {
  const writes: Write[] = []
  let crashed = false

  const around = async (write: Write, whole: () => Promise<void>, half?: () => Promise<void>) => {
    if (crashed) throw new Error('crashed')
    const hit = fault !== undefined && writes.length === fault.at
    writes.push(write)
    if (!hit) return whole()
    crashed = fault.kind === 'crash'
    if (fault.moment === 'after') await whole()
    if (fault.moment === 'halfway') await half?.()
    throw Object.assign(new Error(`${fault.kind}: injected`), { code: fault.kind })
  }

  // Nothing is synced: written data survives the end of a process, and syncing would take most of a test's time.
  // `writes` shows which folders should be synced, and when.
  const disk: Disk = {
    makeFolder: (path) => around({ name: 'makeFolder', path }, () => realDisk.makeFolder(path)),
    write: (path, bytes, mode) =>
      around(
        { name: 'write', path },
        () => writePart(path, bytes, mode),
        () => writePart(path, bytes.subarray(0, bytes.length / 2), 0o644),
      ),
    rename: (from, to) => around({ name: 'rename', path: to }, () => realDisk.rename(from, to)),
    remove: (path) => around({ name: 'remove', path }, () => realDisk.remove(path)),
    syncFolder: (path) => around({ name: 'syncFolder', path }, async () => {}),
  }
  return { disk, writes }
}

async function writePart(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  writeFileSync(path, bytes, { flag: 'wx', mode })
}
