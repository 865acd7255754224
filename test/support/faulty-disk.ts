// A disk on which one write goes wrong: before it takes effect, after it, or halfway.
import { writeFileSync } from 'node:fs'
import { type Chunks, type Disk, realDisk } from '../../archive/durable.ts'

export interface Fault {
  /** Which of the writes, counted from 0. */
  at: number
  /** Halfway differs from before only where bytes are written. */
  moment: 'before' | 'halfway' | 'after'
  /** A crash, after which nothing is written any more; or an error that passes, with its code. */
  kind: 'crash' | 'ENOSPC' | 'EIO'
}

/** A real disk with one fault, and the names of the writes that it was asked for. */
export function faultyDisk(fault?: Fault): { disk: Disk; writes: string[] } {
  const writes: string[] = []
  let crashed = false

  const around = async (name: string, whole: () => Promise<void>, half?: () => Promise<void>) => {
    if (crashed) throw new Error('crashed')
    const hit = fault !== undefined && writes.length === fault.at
    writes.push(name)
    if (!hit) return whole()
    crashed = fault.kind === 'crash'
    if (fault.moment === 'after') await whole()
    if (fault.moment === 'halfway') await half?.()
    throw Object.assign(new Error(`${fault.kind}: injected`), { code: fault.kind })
  }

  const disk: Disk = {
    makeFolder: (path) => around('makeFolder', () => realDisk.makeFolder(path)),
    write: (path, chunks) =>
      around(
        'write',
        () => realDisk.write(path, chunks),
        () => writeHalf(path, chunks),
      ),
    rename: (from, to) => around('rename', () => realDisk.rename(from, to)),
    remove: (path) => around('remove', () => realDisk.remove(path)),
    syncFolder: (path) => around('syncFolder', () => realDisk.syncFolder(path)),
  }
  return { disk, writes }
}

async function writeHalf(path: string, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    writeFileSync(path, chunk.subarray(0, chunk.length / 2))
    return
  }
}
