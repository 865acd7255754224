// Makes releases of the working tree, for tests of what is in them.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../../package.json' with { type: 'json' }
import { ROOT } from '../../support/imports.ts'
import { temporaryFolder } from '../../support/release.ts'

/** Makes a checkout of the working tree with one commit, whose author and time are always the same. */
export function makeCheckout(version = project.version): string {
  const folder = temporaryFolder()
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: folder,
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: '2026-11-19T08:30:00Z',
        GIT_COMMITTER_DATE: '2026-11-19T08:30:00Z',
      },
    })
  const list = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const file of list.split('\0').filter(Boolean))
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  if (version !== project.version)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...project, version }))
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-q', '-m', 'one')
  writeFileSync(join(folder, '.git/info/exclude'), '/node_modules\n')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs `npm run release -- DIR`. */
export const release = (folder: string, dir: string) =>
  spawnSync('npm', ['run', '--silent', 'release', '--', dir], { cwd: folder, encoding: 'utf8' })
