// npm run release -- DIR: writes the files of a release. They depend on the commit alone: the same bytes each time.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { program, programLine } from '../../archive/base/command-line.ts'
import { runCommand } from '../../archive/base/terminal.ts'
import { VERSION } from '../../archive/base/version.ts'
import { READER_PACKAGE } from '../pages/days/reader-package.ts'
import { BUILT, buildScripts } from '../pages/frame/scripts.ts'
import { licencesOf, writeReaderPackage } from './reader-package.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Serves the work on the project alone. */
const LEFT_OUT = /^(test\/(?!fixtures\/example-day\.png$)|\.ci\/|\.biome\.json$|\.gitignore$)/
/** Need what is left out. */
const SCRIPTS_LEFT_OUT = /^(check|test|bench|release)/

interface Lock {
  packages: Record<string, LockedPackage>
}
interface LockedPackage {
  dev?: boolean
  license?: string
  /** The systems that it is for. */
  os?: string[]
  version?: string
  devDependencies?: object
}

const RELEASE = programLine({
  name: 'release',
  summary:
    'Writes the files of a release into DIR, from a checkout without changes: the service, the package daysignal-verify, the list of all components (CycloneDX), and SHA256SUMS.',
  words: [{ name: 'DIR', help: 'is created, and keeps other files' }],
  options: {},
  prepare: ([dir = '']) => resolve(dir),
})

async function release(dir: string): Promise<number> {
  const changes = git('status', '--porcelain')
  if (changes !== '') throw new Error(`the checkout has changes: ${changes.trim().split('\n')[0]}`)
  mkdirSync(dir, { recursive: true })
  const components = `daysignal-${VERSION}.cdx.json`
  const work = mkdtempSync(join(tmpdir(), 'daysignal-release-'))
  try {
    // npm names the components' whole after its folder.
    const service = join(work, 'daysignal')
    const reader = join(work, 'daysignal-verify')
    const pack = (folder: string) =>
      npm(folder, 'pack', '--silent', '--ignore-scripts', '--pack-destination', dir)
    await writeReaderPackage(ROOT, reader)
    pack(reader)
    await writeService(service)
    cpSync(join(dir, basename(READER_PACKAGE)), join(service, READER_PACKAGE))
    pack(service)
    writeFileSync(join(dir, components), listComponents(service))
  } finally {
    rmSync(work, { recursive: true })
  }
  const names = [`daysignal-${VERSION}.tgz`, basename(READER_PACKAGE), components]
  writeFileSync(join(dir, 'SHA256SUMS'), names.map((name) => sumLine(dir, name)).join(''))
  console.error(`release: ${[...names, 'SHA256SUMS'].join(', ')} in ${dir}`)
  return 0
}

/** Writes the service without its tests, with the scripts of its pages and the lock of what it needs to run. */
async function writeService(folder: string): Promise<void> {
  const kept = git('ls-files', '-z')
    .split('\0')
    .filter((file) => file !== '' && !LEFT_OUT.test(file))
  for (const file of kept) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file))
  }
  writeFileSync(join(folder, BUILT), JSON.stringify(await buildScripts()))
  const { lock, installed } = installedLock()
  writeJson(folder, 'package.json', installedProject(installed))
  // npm takes package-lock.json out of every package, and installs from this file in the same way.
  writeJson(folder, 'npm-shrinkwrap.json', lock)
  // Packages for one system need not be here. Their licences are in the list of components.
  const present = installed.filter(([path, { os }]) => !os && existsSync(join(ROOT, path)))
  const folders = present.map(([path]) => path)
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licencesOf(ROOT, folders))
}

/** The lock without the packages of development, and those that are left. */
function installedLock(): { lock: Lock; installed: [string, LockedPackage][] } {
  const lock: Lock = readJson(ROOT, 'package-lock.json')
  const { '': project = {}, ...packages } = lock.packages
  const { devDependencies, ...locked } = project
  const installed = Object.entries(packages).filter(([, { dev }]) => !dev)
  return {
    lock: { ...lock, packages: { '': locked, ...Object.fromEntries(installed) } },
    installed,
  }
}

/** package.json without what serves development. */
function installedProject(installed: [string, LockedPackage][]): object {
  const { devDependencies, overrides, scripts, allowScripts, ...project } = readJson(
    ROOT,
    'package.json',
  )
  const isInstalled = (name: string) => installed.some(([path]) => path === `node_modules/${name}`)
  return {
    ...project,
    allowScripts: only(allowScripts, isInstalled),
    scripts: only(scripts, (name) => !SCRIPTS_LEFT_OUT.test(name)),
  }
}

const only = (values: object, isWanted: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)))

/** Lists all components of the service as CycloneDX. npm would give each list another number and time. */
function listComponents(service: string): string {
  const [commit = '', seconds = ''] = git('show', '-s', '--format=%H %ct').trim().split(' ')
  const list = JSON.parse(
    npm(
      service,
      'sbom',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      '--package-lock-only',
    ),
  )
  list.serialNumber = `urn:uuid:${uuidOf(commit)}`
  list.metadata.timestamp = new Date(Number(seconds) * 1000).toISOString()
  return `${JSON.stringify(list, null, 2)}\n`
}

/** A UUID whose bits are given (RFC 9562, version 8), from the hash of a commit. */
function uuidOf(commit: string): string {
  const hex = hash('sha256', commit)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}

const sumLine = (dir: string, name: string): string =>
  `${hash('sha256', readFileSync(join(dir, name)))}  ${name}\n`

const git = (...args: string[]): string => execute(ROOT, 'git', args)

/** Runs the npm that runs this program. */
const npm = (cwd: string, ...args: string[]): string =>
  process.env.npm_execpath === undefined
    ? execute(cwd, 'npm', args)
    : execute(cwd, process.execPath, [process.env.npm_execpath, ...args])

/** @throws Error with the last line that the program wrote to standard error */
function execute(cwd: string, file: string, args: string[]): string {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 << 20 })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const reason = stderr?.trim().split('\n').at(-1) || message
    throw new Error(`${file} ${args[0]}: ${reason}`, { cause: error })
  }
}

const readJson = (folder: string, name: string) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'))

const writeJson = (folder: string, name: string, value: object): void =>
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)

if (import.meta.main) await runCommand(program(RELEASE, release))
