// Mirrors, verifies and writes archives through servers that misbehave in 2,000 seeded ways, in what they send and how: each ends
// with a result or with one line, and never by an uncaught error. A mirror never publishes a wrong byte nor writes elsewhere.
// Rules: FORMAT.md 19.3; COMMANDS.md 4.3.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ArchiveError } from '../../../archive/base/errors.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import type { Finding } from '../../../archive/verify/findings.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { type MisbehavingServer, misbehavingServer } from '../../support/misbehaving-server.ts'
import { runNode } from '../../support/programs.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openServed } from '../../support/served.ts'
import { bucketWriter } from '../../support/writers.ts'
import { type Day, publish } from '../days.ts'
import { verified } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
import {
  filesIn,
  makeDays,
  mirrorFrom,
  publishSigned,
  serveFolder,
} from '../mirror/signed-archive.ts'

const ANSWERS = 1_000
/** Runs at the same time, most of which wait for a timeout. */
const AT_ONCE = 12
/** Short, since the server is on this machine; a correct answer that takes longer is requested again. */
const timing = { stallMs: 200, tries: 2, sleep: () => Promise.resolve() }
const COMMANDS = 12

const days = makeDays(1) as [Day]
const uncaught: Error[] = []
const note = (error: Error) => void uncaught.push(error)

process.on('uncaughtExceptionMonitor', note)
const root = temporaryFolder()
const archive = join(root, 'archive')
await publishSigned(archive, days)
const whole = filesIn(archive)
const server = await serveFolder(archive)
afterAll(async () => {
  process.off('uncaughtExceptionMonitor', note)
})

const portOf = (url: string) => Number(new URL(url).port)
const bodyOf = (path: string) => whole.get(path.slice(1)) ?? Buffer.from('other\n')

const inText = (bytes: Buffer, from: string, to: string) =>
  Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
/** What may be sent in place of a file. */
const CONTENTS: ((bytes: Buffer, at: number) => Buffer)[] = [
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.from('x'), bytes.subarray(at + 1)]),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.alloc(1_000_000)]),
  (bytes) => Buffer.from(bytes).reverse(),
  () => Buffer.alloc(0),
  (bytes) => inText(bytes, '2026-11-0', '../../..//'),
  (bytes) => inText(bytes, '2026-11-01', '2026-11-02'),
]

/** A server in front of the folder that misbehaves for about half of all requests, in half of these with another content. */
function folderServer(seed: number): Promise<MisbehavingServer> {
  const chance = random(seed)
  const isTampered = () => chance.uniform() < 0.5
  const contentOf = (path: string) => {
    const bytes = Buffer.from(bodyOf(path))
    return CONTENTS[chance.below(2 * CONTENTS.length)]?.(bytes, chance.below(bytes.length)) ?? bytes
  }
  return misbehavingServer({ target: portOf(server.url), chance, isTampered, bodyOf: contentOf })
}

/** Files of a mirror that are not copies of signed ones. */
const OWN = /^mirror\.json$|^\.incoming|^\.refused|SHA256SUMS$|\.sha256$|^key$|^index\.html$/

/** Expects messages of one line. */
function expectLines(findings: readonly Pick<Finding, 'message'>[]): void {
  for (const { message } of findings) expect(message).toMatch(/^[^\n\r]+$/)
}

/** Expects that work ends, if in vain with an error of the archive that is one line. */
async function expectEnd(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveError)
    expectLines([error as Error])
  }
}

async function mirror(url: string, seed: number): Promise<void> {
  const dir = join(root, `mirror-${seed}`)
  const { ok, findings } = await mirrorFrom(url, dir, { client: timing })
  expect(ok).toBe(findings.length === 0)
  expectLines(findings)
  for (const [name, bytes] of filesIn(dir))
    if (!OWN.test(name)) expect(bytes, `${seed} ${name}`).toEqual(whole.get(name))
  expect(readdirSync(root).filter((name) => !/^(archive|(mirror|run)-\d+)$/.test(name))).toEqual([])
  expect(await mirrorFrom(server.url, dir), `${seed}`).toMatchObject({ ok: true })
  rmSync(dir, { recursive: true })
}

async function verify(url: string): Promise<void> {
  const report = await verified(await openServed(url, timing))
  expectLines(findingsIn(report))
}

/** Publishes into an object store, and verifies what is there. */
async function writeStore(seed: number): Promise<number> {
  const chance = random(seed)
  const behind = await startFakeBucket()
  const { access } = behind.location
  const bodyAt = (path: string) =>
    behind.objects.get(decodeURIComponent(path).replace('/archive/', ''))?.body ?? Buffer.from('x')
  const isTampered = () => chance.uniform() < 0.25
  const target = portOf(access.endpoint)
  const front = await misbehavingServer({ target, chance, isTampered, bodyOf: bodyAt })
  const location = { ...behind.location, access: { ...access, endpoint: front.url } }
  const place = await bucketPlace(location, { random: () => 0, ...timing })
  await expectEnd(publish(bucketWriter(place), days[0]))
  await expectEnd(verified(place))
  await front.close()
  await behind.stop()
  return front.answers
}

async function readFolder(seed: number): Promise<number> {
  const front = await folderServer(seed)
  if (seed % 3 === 0) await mirror(front.url, seed)
  else await expectEnd(verify(front.url))
  await front.close()
  return front.answers
}

test(`${ANSWERS} misbehaving answers end in no uncaught error`, async () => {
  let answers = 0
  let seed = 0
  const worker = async () => {
    while (answers < ANSWERS) {
      const number = seed++
      const added = await (number % 3 === 2 ? writeStore(number) : readFolder(number))
      answers += added
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(uncaught).toEqual([])
}, 1_800_000)

/** Runs a command on a server that misbehaves for one file only, in ways that end soon. */
async function runCommand(seed: number) {
  const chance = random(seed)
  const paths = [...whole.keys()].filter((name) => !/^\.|sha256$/.test(name))
  const path = `/${paths[seed % paths.length]}`
  const front = await misbehavingServer({
    target: portOf(server.url),
    chance,
    isTampered: (requested) => requested === path,
    bodyOf,
    neverStalls: true,
  })
  const [command, ...more] = seed % 2 === 0 ? ['mirror', join(root, `run-${seed}`)] : ['verify']
  const file = join(import.meta.dirname, `../../../pipeline/commands/${command}.ts`)
  const ended = await runNode([file, front.url, ...more], { cwd: root })
  await front.close()
  return { path, command, ...ended }
}

test(`${COMMANDS} runs of mirror and verify on misbehaving servers end with a status and a line`, async () => {
  const runs = await Promise.all(Array.from({ length: COMMANDS }, (_, seed) => runCommand(seed)))
  for (const { status, stdout, stderr, path, command } of runs) {
    const context = `${command} ${path}: ${stdout}${stderr}`
    expect([0, 1], context).toContain(status)
    // A mirror has a line for the one file that fails; verify names it among its findings.
    expect(stderr.split('\n').length - 1, context).toBeLessThanOrEqual(1)
    expect(stderr, context).not.toMatch(/^ +at |Error:/m)
    if (status === 1) expect(stdout + stderr, context).toContain(path.split('/').at(-1))
  }
}, 600_000)
