// Runs after `npm ci`. It links the Node of the lock file, so that the npm scripts find it: npm before version 11 deletes
// node_modules/.bin/node when it removes the packages for other platforms, which have a link of the same name. Then it
// compiles the service, so that the first start takes half the time. The npm scripts begin with `exec`, because Debian's sh
// would keep a signal from the program; Windows, which has no such command, gets one.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'

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
} else {
  // Without the compiled modules, the first start takes longer, and nothing else changes.
  mkdirSync('node_modules/.cache/modules', { recursive: true })
  const node = isLinked ? LINK : process.execPath
  spawnSync(node, ['server/deploy/run.js', 'start', '--version'], { stdio: 'ignore' })
}

/**
 * @param {string} version
 * @param {string} other
 */
function isBefore(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}
