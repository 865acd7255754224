// Runs after `npm ci`. It links the Node of the lock file, so that the npm scripts find it: npm before version 11 deletes
// node_modules/.bin/node when it removes the packages for other platforms, which have a link of the same name. Then it
// compiles the service, so that the first start by the same user takes less time. The npm scripts begin with `exec`, because
// Debian's sh would keep a signal from the program; Windows, which has no such command, gets one.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const LINK = 'node_modules/.bin/node'
const target = `../node-${process.platform}-${process.arch}/bin/node`

if (!existsSync(LINK) && existsSync(`node_modules/.bin/${target}`)) symlinkSync(target, LINK)
if (process.platform === 'win32') writeFileSync('node_modules/.bin/exec.cmd', '@%*\r\n')

/** @type {{ engines: { node: string } }} */
const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const isLinked = existsSync(LINK)
if (!isLinked && isBefore(process.versions.node, engines.node.replace('>=', ''))) {
  process.stderr.write(
    `Node ${engines.node} is needed, and this is ${process.versions.node}: install a newer one, then run npm ci again\n`,
  )
  process.exitCode = 1
} else if (process.platform !== 'win32') {
  // Without the compiled modules, the first start takes longer, and nothing else changes.
  mkdirSync('node_modules/.cache/modules', { recursive: true })
  await compile(resolve(isLinked ? LINK : process.execPath)).catch(() => {})
}

/**
 * Runs the service until it has answered once, on an empty board of its own and without anybody's settings: Node keeps what
 * was compiled when a process ends.
 * @param {string} node
 */
async function compile(node) {
  const folder = mkdtempSync(join(tmpdir(), 'daysignal-'))
  const service = spawn(node, [resolve('server/deploy/run.js'), 'start'], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: AbortSignal.timeout(20_000),
  })
  service.stdout.once('data', (line) => {
    const [url = ''] = /http[^"]+/.exec(line) ?? []
    const answer = fetch(url).then((response) => response.text())
    answer.catch(() => {}).finally(() => service.kill())
  })
  await new Promise((done) => service.on('error', () => {}).once('close', done))
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} version
 * @param {string} other
 */
function isBefore(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}
