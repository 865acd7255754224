// Runs after `npm ci`, so that the npm scripts find the Node of the lock file. npm before version 11 deletes the link
// node_modules/.bin/node when it removes the packages for other platforms, which have a link of the same name.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'

const LINK = 'node_modules/.bin/node'
const target = `../node-${process.platform}-${process.arch}/bin/node`

if (!existsSync(LINK) && existsSync(`node_modules/.bin/${target}`)) symlinkSync(target, LINK)

/** @type {{ engines: { node: string } }} */
const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
if (!existsSync(LINK) && isBefore(process.versions.node, engines.node.replace('>=', ''))) {
  process.stderr.write(
    `Node ${engines.node} is needed, and this is ${process.versions.node}: install a newer one, then run npm ci again\n`,
  )
  process.exitCode = 1
}

/**
 * @param {string} version
 * @param {string} other
 */
function isBefore(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}
