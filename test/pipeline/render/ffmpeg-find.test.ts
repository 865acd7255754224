// The choice of ffmpeg, and the errors for one that is not usable.
// Rules: FORMAT.md 8.3; WRITING.md 1.10; OPERATING.md 2.1.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import * as finding from '../../../pipeline/render/find-ffmpeg.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'

const { findFfmpeg } = finding
const folder = temporaryFolder()

const GOOD_ENCODERS = ' V..... libx264 x\\n A..... aac x'

/** Creates a folder with a shell script named ffmpeg that reports this version and these encoders. */
function impostor(name: string, version: string, encoders = GOOD_ENCODERS): string {
  return script(name, `echo 'ffmpeg version ${version} Copyright' >&2; printf '${encoders}\\n'`)
}

function script(name: string, body: string, mode = 0o755): string {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'ffmpeg'), `#!/bin/sh\n${body}\n`)
  chmodSync(join(folder, name, 'ffmpeg'), mode)
  return join(folder, name)
}

test('FFMPEG_PATH comes before PATH, and an empty one is ignored', () => {
  const named = impostor('named', 'N')
  const onPath = impostor('on-path', 'P')
  const path = join(named, 'ffmpeg')
  expect(findFfmpeg({ FFMPEG_PATH: path, PATH: onPath })).toEqual({ path, version: 'N' })
  expect(findFfmpeg({ FFMPEG_PATH: '', PATH: onPath })?.version).toBe('P')
})

test.each([
  ['a missing file', () => join(folder, 'nowhere'), 'does not run (no such file)'],
  [
    'a file that is not executable',
    () => script('mode', '', 0o644),
    'does not run (not executable)',
  ],
  ['another program', () => script('other', 'echo hello'), 'is not an ffmpeg'],
  ['an ffmpeg that fails', () => script('fails', 'exit 1'), 'is not an ffmpeg'],
  ['an ffmpeg that crashes', () => script('crashes', 'kill -SEGV $$'), 'was ended by SIGSEGV'],
  [
    'an ffmpeg without H.264',
    () => impostor('free', '6', ' A..... aac x'),
    'has no encoder libx264',
  ],
])('a one-line error names FFMPEG_PATH when it is %s', (_what, make, why) => {
  const made = make()
  const path = made.endsWith('nowhere') ? made : join(made, 'ffmpeg')
  const good = impostor('fallback', 'F')
  const expected = new Error(`FFMPEG_PATH: ${path} ${why}`)
  expect(() => findFfmpeg({ FFMPEG_PATH: path, PATH: good })).toThrow(expected)
})

test('the first ffmpeg on PATH that runs and has the encoders is used', () => {
  const folders = [
    join(folder, 'nowhere'),
    script('broken', 'exit 1'),
    impostor('bare', '1', ' V..... mpeg4 x'),
    impostor('right', '2'),
    impostor('late', '3'),
  ]
  expect(findFfmpeg({ PATH: folders.join(delimiter) })).toEqual({
    path: join(folder, 'right', 'ffmpeg'),
    version: '2',
  })
})

test.each(['ILL', 'SEGV', 'ABRT'])('after a crash with SIG%s, the next ffmpeg is tried', (name) => {
  const folders = [script(`crashes-${name}`, `kill -${name} $$`), impostor('after', 'A')]
  expect(findFfmpeg({ PATH: folders.join(delimiter) })?.version).toBe('A')
})

test.each(['KILL', 'TERM'])(
  'an ffmpeg that is ended by SIG%s is a shortage, unless another one can be used',
  async (name) => {
    const killed = script(`killed-${name}`, `kill -${name} $$`)
    const path = join(killed, 'ffmpeg')
    const find = await findIn(`no-packages-${name}`, null)
    const shortage = { name: 'FfmpegShortage', message: `${path} was ended by SIG${name}` }
    expect(() => find({ PATH: killed })).toThrow(expect.objectContaining(shortage))
    expect(find({ PATH: [killed, impostor('other', 'O')].join(delimiter) })?.version).toBe('O')
    expect(() => find({ FFMPEG_PATH: path })).toThrow(
      expect.objectContaining({ ...shortage, message: `FFMPEG_PATH: ${shortage.message}` }),
    )
  },
)

test('without a free file descriptor, the search reports a shortage instead of finding no ffmpeg', () => {
  const program = `
    import { openSync } from 'node:fs'
    import { findFfmpeg } from ${JSON.stringify(new URL('../../../pipeline/render/find-ffmpeg.ts', import.meta.url))}
    try { for (;;) openSync('/dev/null') } catch {}
    try { console.log(findFfmpeg({ PATH: ${JSON.stringify(impostor('open', '1'))} })) }
    catch (error) { console.log(error.name, error.message.includes('EMFILE')) }`
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath]
  const run = spawnSync('sh', [...limited, '--input-type=module', '-e', program], {
    env: childEnvironment(),
    encoding: 'utf8',
  })
  expect(run).toMatchObject({ stdout: 'FfmpegShortage true\n', stderr: '' })
})

test('the build that npm installs is used when PATH has no ffmpeg', () => {
  const found = findFfmpeg({ PATH: join(folder, 'nowhere') })
  expect(found?.path).toContain('@ffmpeg-installer')
  expect(found?.version).not.toBe('')
})

/** Loads the module under test from a project with no package but an ffmpeg-static that exports this path. */
async function findIn(project: string, downloaded: string | null): Promise<typeof findFfmpeg> {
  const modules = join(folder, project, 'node_modules')
  mkdirSync(join(modules, 'ffmpeg-static'), { recursive: true })
  const source = new URL('../../../', import.meta.url).pathname
  copyFileSync(
    join(source, 'pipeline/render/find-ffmpeg.ts'),
    join(folder, project, 'find-ffmpeg.ts'),
  )
  writeFileSync(
    join(modules, 'ffmpeg-static/index.js'),
    `module.exports = ${JSON.stringify(downloaded)}`,
  )
  const module = (await import(
    pathToFileURL(join(folder, project, 'find-ffmpeg.ts')).href
  )) as typeof finding
  return module.findFfmpeg
}

test('the search returns null if there is no ffmpeg, even if ffmpeg-static is installed without its download', async () => {
  const find = await findIn('bare-project', join(folder, 'nowhere'))
  expect(find({ PATH: '' })).toBeNull()
  expect(find({})).toBeNull()
})

test('the download of ffmpeg-static comes before PATH', async () => {
  const find = await findIn('downloaded', join(impostor('static', 'S'), 'ffmpeg'))
  expect(find({ PATH: impostor('on-path', 'P') })?.version).toBe('S')
})
