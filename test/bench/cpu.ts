// Measures the CPU time of programs and of functions.
import { spawnSync } from 'node:child_process'

/**
 * Runs Node and measures its CPU time, children included, with the shell's `times` [s].
 * @throws Error if the program fails
 */
function costOf(args: readonly string[], env: NodeJS.ProcessEnv): { cpu: number; stderr: string } {
  const run = spawnSync('sh', ['-c', '"$@" || exit; times', 'sh', process.execPath, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (run.status !== 0) throw new Error(`${args.at(-1)} failed: ${run.stderr.slice(-300)}`)
  // The second of two lines has the user and system time of the children, such as 0m1.250s 0m0.070s.
  const children = run.stdout.trimEnd().split('\n').at(-1) ?? ''
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return { cpu: seconds.reduce((sum, part) => sum + part, 0), stderr: run.stderr }
}

/** Prints the most memory that a process had resident [KiB]. The launcher hands its environment on, but not its options. */
const REPORT_MEMORY =
  "data:text/javascript,process.on('exit',()=>console.error(process.resourceUsage().maxRSS))"

/** Measures one of our programs: wall time [s], CPU time [s], and the most memory that it had resident [MiB]. */
export function measureProgram(args: readonly string[], env: NodeJS.ProcessEnv) {
  const began = performance.now()
  const { cpu, stderr } = costOf(args, { ...env, NODE_OPTIONS: `--import=${REPORT_MEMORY}` })
  const wall = (performance.now() - began) / 1000
  const memory = Number(stderr.trimEnd().split('\n').at(-1)) / 1024
  if (!(memory > 0)) throw new Error(`${args.join(' ')} did not report its memory`)
  return { wall, cpu, memory }
}

/** The CPU time of this process so far, user and system [us]. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
