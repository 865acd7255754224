// Processor time of programs and of our own work.
import { spawnSync } from 'node:child_process'

/**
 * The processor time of a program with all its children, as the shell counts it [s].
 * @throws Error when the program fails
 */
export function costOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { cpu: number; stderr: string } {
  const run = spawnSync('sh', ['-c', '"$@" || exit; times', 'sh', program, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (run.status !== 0) throw new Error(`${program} failed: ${run.stderr.slice(-300)}`)
  // The last of two lines is of the children, as in 0m1.250s 0m0.070s.
  const children = run.stdout.trimEnd().split('\n').at(-1) ?? ''
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return { cpu: seconds.reduce((sum, part) => sum + part, 0), stderr: run.stderr }
}

/** The processor time of this process for each of several runs [s]. */
export async function cpuSeconds(runs: number, work: () => unknown): Promise<number[]> {
  const seconds: number[] = []
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    seconds.push((user + system) / 1e6)
  }
  return seconds
}
