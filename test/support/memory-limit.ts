// Bounds the memory of a process, so that unbounded memory ends it instead of a test measuring it.
import { execFileSync } from 'node:child_process'
import { findProgram } from './programs.ts'

/** Private memory: a server at rest has mapped 650 MiB of it, of which it uses 110. */
const BYTES = 2 * 1024 ** 3

/** Lets a process fail to get more memory than that, where `prlimit` exists. */
export function limitMemory(pid: number): void {
  const prlimit = findProgram('prlimit')
  if (prlimit) execFileSync(prlimit, [`--pid=${pid}`, `--data=${BYTES}`])
}
