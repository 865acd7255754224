// Running a real ffmpeg: progress, failures and aborts.
// Rules: FORMAT.md 8.3; WRITING.md 1.10.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FfmpegError, type FfmpegJob, runFfmpeg } from '../../../pipeline/render/ffmpeg.ts'
import { type Ffmpeg, findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { elapse } from '../../support/time.ts'

const folder = temporaryFolder()
const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })!

const grey = join(folder, 'grey.pgm')
writeFileSync(grey, Buffer.concat([Buffer.from('P5 320 180 255\n'), Buffer.alloc(320 * 180, 128)]))

/** Encodes this many seconds of grey. */
function job(seconds: number): FfmpegJob {
  return {
    inputs: [grey],
    filter: `[0:v]loop=loop=-1:size=1,setpts=N/25/TB,trim=duration=${seconds}[video]`,
    options: ['-map [video]', '-c:v libx264', '-f mp4'],
    output: join(folder, 'out.mp4'),
  }
}

/** Wraps ffmpeg so that each of its processes creates a file named after its process id. */
function traced(): { ffmpeg: Ffmpeg; started(): number[] } {
  const traces = mkdtempSync(join(folder, 'traced-'))
  const path = join(folder, 'traced')
  writeFileSync(path, `#!/bin/sh\n: > '${traces}'/$$\nexec '${ffmpeg.path}' "$@"\n`)
  chmodSync(path, 0o755)
  return { ffmpeg: { ...ffmpeg, path }, started: () => readdirSync(traces).map(Number) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// Must come first: only the first job of a process queries ffmpeg's formats and encoders and can be aborted meanwhile.
test.each([0, 1, 3, 5, 10, 20, 60])(
  'once a job aborted after %i ms has rejected, no ffmpeg is running and none is started',
  async (ms) => {
    const { ffmpeg, started } = traced()
    const signal = AbortSignal.timeout(ms)
    await expect(runFfmpeg(ffmpeg, job(36_000), { signal })).rejects.toThrow('due to timeout')
    const before = started()
    expect(before.filter(isAlive)).toEqual([])
    await elapse(30, 'another one would start immediately')
    expect(started()).toEqual(before)
  },
)

/** Runs a job in a process of its own: fluent-ffmpeg queries formats and encoders only once a process. */
function runElsewhere(path: string, before = ''): string {
  const program = `
    import { openSync } from 'node:fs'
    import { runFfmpeg } from ${JSON.stringify(new URL('../../../pipeline/render/ffmpeg.ts', import.meta.url))}
    ${before}
    const failed = await runFfmpeg(${JSON.stringify({ path, version: '' })}, ${JSON.stringify(job(1))}).catch((error) => error)
    console.log(failed.name, failed.message)`
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath]
  const run = spawnSync('sh', [...limited, '--input-type=module', '-e', program], {
    env: childEnvironment(),
    encoding: 'utf8',
  })
  return run.stdout + run.stderr
}

test.each([
  ['KILL', 'FfmpegShortage ffmpeg was killed with signal SIGKILL'],
  ['SEGV', 'FfmpegError ffmpeg failed: ffmpeg was killed with signal SIGSEGV'],
])('an ffmpeg ended by SIG%s while its formats are queried is reported as %s', (name, line) => {
  const path = join(folder, `ended-${name}`)
  writeFileSync(path, `#!/bin/sh\nkill -${name} $$\n`, { mode: 0o755 })
  expect(runElsewhere(path)).toBe(`${line}\n`)
})

test('a job that cannot start for want of file descriptors is reported as a shortage', () => {
  const full = "try { for (;;) openSync('/dev/null') } catch {}"
  expect(runElsewhere(ffmpeg.path, full)).toMatch(/^FfmpegShortage .*EMFILE\n$/)
})

test('a job ends when its output is complete, and reports the number of frames done', async () => {
  const frames: number[] = []
  await runFfmpeg(ffmpeg, job(2), { onFrame: (count) => frames.push(count) })
  expect(existsSync(join(folder, 'out.mp4'))).toBe(true)
  expect(frames.at(-1)).toBe(50)
})

test('a failing ffmpeg is reported in one line with its last error', async () => {
  const broken = join(folder, 'broken.png')
  writeFileSync(broken, 'not a picture')
  const wrong = { ...job(1), inputs: [broken] }
  const error = await runFfmpeg(ffmpeg, wrong).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(FfmpegError)
  expect((error as Error).message).toMatch(/^ffmpeg failed: .+/)
  expect((error as Error).message).not.toContain('\n')
  expect((error as Error).message).not.toContain('Conversion failed!')
})

test('an ffmpeg that disappears after it was found is reported in one line', async () => {
  const gone = { ...ffmpeg, path: join(folder, 'gone') }
  await expect(runFfmpeg(gone, job(1))).rejects.toThrow(/^ffmpeg failed: .*ENOENT/)
})

test('an abort kills a running ffmpeg before the promise rejects with its reason', async () => {
  const { ffmpeg, started } = traced()
  const abort = new AbortController()
  const running = runFfmpeg(ffmpeg, job(36_000), {
    signal: abort.signal,
    onFrame: () => abort.abort(new Error('aborted by the test')),
  })
  await expect(running).rejects.toThrow('aborted by the test')
  expect(started()).not.toEqual([])
  expect(started().filter(isAlive)).toEqual([])
})

test('no ffmpeg starts under a signal that has already fired', async () => {
  const { ffmpeg, started } = traced()
  const signal = AbortSignal.abort()
  await expect(runFfmpeg(ffmpeg, job(1), { signal })).rejects.toBe(signal.reason)
  expect(started()).toEqual([])
})
