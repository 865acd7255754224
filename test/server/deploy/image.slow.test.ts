// What the Dockerfile says about running its image, tried where no container engine is: its user, its environment, its
// health check and its command, in a mount namespace whose root file system is read-only.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/imports.ts'
import { freePort } from '../../support/listen.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { until } from '../../support/time.ts'

const DOCKERFILE = readFileSync(join(ROOT, 'server/deploy/Dockerfile'), 'utf8')

/** The user `node` of the base image. */
const NODE = 1000

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
if (!canMount) console.error('skipping the tests of the image: they need root and mount namespaces')

/** The words of an instruction in its JSON form. */
const wordsOf = (instruction: string): string[] => {
  const [, words = '[]'] = new RegExp(`^(?:${instruction}) (\\[.*\\])$`, 'm').exec(DOCKERFILE) ?? []
  return JSON.parse(words)
}

/** The variables that the image sets. */
const ENVIRONMENT = [...DOCKERFILE.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
  line.split(' '),
)

/**
 * Makes the file systems of the container out of this machine's, all read-only but for /tmp and the volume, and becomes
 * its process. Arguments: a folder for its root, the project, the volume, and the command.
 */
const BECOME = `
set -e
root=$1 project=$2 volume=$3
shift 3
mount --make-rprivate /
mount --bind / "$root"
mount -o remount,bind,ro "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/srv"
mkdir "$root/srv/daysignal"
mount --bind "$project" "$root/srv/daysignal"
mount -o remount,bind,ro "$root/srv/daysignal"
mount -o remount,ro "$root/srv"
mount -t tmpfs tmpfs "$root/var/lib"
mkdir "$root/var/lib/daysignal"
mount --bind "$volume" "$root/var/lib/daysignal"
mount -o remount,ro "$root/var/lib"
mount -t tmpfs tmpfs "$root/tmp"
exec chroot --userspec=${NODE}:${NODE} "$root" "$@"
`

let port: number
let volume: string

/** Runs a command as in a container of the image. */
function inContainer(command: readonly string[]): ChildProcess {
  const path = `PATH=/srv/daysignal/node_modules/.bin:/usr/local/bin:/usr/bin:/bin`
  const variables = [path, ...ENVIRONMENT, `PORT=${port}`]
  const script = `cd /srv/daysignal && exec "$@"`
  const words = ['env', '-i', ...variables, 'sh', '-c', script, 'sh', ...command]
  const folder = temporaryFolder()
  return spawn('unshare', ['--mount', 'sh', '-c', BECOME, 'sh', folder, ROOT, volume, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function endIn(command: readonly string[]): Promise<{ code: number; output: string }> {
  const child = inContainer(command)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  return { code, output }
}

test.skipIf(!canMount)(
  'the image serves, is healthy, seals a day with its film and stops, as its user and with a root file system that is read-only',
  async () => {
    port = await freePort()
    volume = temporaryFolder()
    chownSync(volume, NODE, NODE)
    expect((await endIn(['id', '-u'])).output).toBe(`${NODE}\n`)
    for (const file of ['/srv/daysignal/x', '/etc/x', '/var/lib/x'])
      expect((await endIn(['touch', file])).output).toContain('Read-only file system')
    const health = wordsOf(' *CMD')
    expect((await endIn(health)).code).toBe(1)

    const server = inContainer(wordsOf('CMD'))
    released(() => server.kill('SIGKILL'))
    await until(async () => (await endIn(health)).code === 0)
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/directories`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"path":"garden"}',
    })
    expect(answer.status).toBe(201)
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const [node = '', launcher = ''] = wordsOf('CMD')
    const sealed = await endIn([node, launcher, 'snapshot', '--day', day])
    expect(sealed).toMatchObject({ code: 0, output: expect.stringContaining(`${day}  published`) })
    const archive = await fetch(`http://127.0.0.1:${port}/transmissions/index.json`)
    expect(await archive.json()).toMatchObject({
      items: [{ day, media: { mp4: { available: true } } }],
    })
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  },
)
