// After npm ci: the link to the Node of the lock file, as npm 10 leaves it behind.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { ROOT } from '../../support/imports.ts'
import { ON_WINDOWS } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'

const run = promisify(execFile)
const PACKAGED = `node-${process.platform}-${process.arch}`

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
})

/**
 * Runs the script in a project that needs this Node.
 * @param flags of Node
 */
function linkNode(needed: string, ...flags: string[]): Promise<{ stderr: string }> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node: needed } }))
  const script = join(ROOT, 'server/deploy/link-node.js')
  return run(process.execPath, [...flags, script], { cwd: folder })
}

test('the Node that npm installed and did not link is linked', async () => {
  mkdirSync(join(folder, `node_modules/${PACKAGED}/bin`), { recursive: true })
  writeFileSync(join(folder, `node_modules/${PACKAGED}/bin/node`), '')
  await linkNode('>=99.0.0')
  const link = readlinkSync(join(folder, 'node_modules/.bin/node'))
  expect(link).toBe(`../${PACKAGED}/bin/node`)
})

test('without a Node to link, one that is too old ends the installation with a line that names both versions', async () => {
  const { version, versions } = process
  expect((await linkNode(`>=${versions.node}`)).stderr).toBe('')
  await expect(linkNode('>=99.0.0')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Node >=99.0.0 is needed, and this is ${version.slice(1)}`),
  })
})

test('Windows gets the command that the npm scripts begin with, and other systems have it', async () => {
  const path = join(folder, 'node_modules/.bin/exec.cmd')
  await linkNode(`>=${process.versions.node}`)
  expect(existsSync(path)).toBe(false)
  await linkNode(`>=${process.versions.node}`, ...ON_WINDOWS)
  expect(readFileSync(path, 'utf8')).toBe('@%*\r\n')
})
