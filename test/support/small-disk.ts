// A disk of a few MiB that a test can fill, so that every program that writes to it meets ENOSPC.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { released, temporaryFolder } from './release.ts'

export interface SmallDisk {
  dir: string
  /** Leaves no room, until `free`. False if this machine allows no mounts: then this is a folder, and nothing happens. */
  canFill: boolean
  fill(): void
  free(): void
  /** Unmounts it, which otherwise happens at the end of the test or of the file. */
  close(): Promise<void>
}

const BLOCK_BYTES = 4096

export function smallDisk(mebibytes: number): SmallDisk {
  const dir = temporaryFolder()
  const canFill = mount(dir, mebibytes)
  const filler = join(dir, '.filler')
  return {
    dir,
    canFill,
    fill() {
      if (!canFill) return
      try {
        // More than there is room for: others write meanwhile.
        appendFileSync(filler, Buffer.alloc((statfsSync(dir).bavail + 1) * BLOCK_BYTES))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(filler, { force: true }),
    close: released(() => {
      if (canFill) execFileSync('umount', ['--lazy', dir])
    }),
  }
}

function mount(dir: string, mebibytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', dir], {
      stdio: 'ignore',
    })
  } catch {
    console.error('no disk is filled: this machine allows no mounts')
    return false
  }
  chmodSync(dir, 0o755)
  return true
}
