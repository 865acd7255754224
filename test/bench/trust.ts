// npm run bench -- trust: measures the log and its proofs after ten years.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayOf } from '../../archive/format/calendar.ts'
import { manifestBytes } from '../../archive/format/manifest.ts'
import { eachKind } from '../../archive/format/media.ts'
import { dayProofName, manifestName } from '../../archive/format/paths.ts'
import { makeManifest, makeSnapshot } from '../archive/days.ts'
import { memoryKeeper, openTestLog } from '../archive/signing.ts'

const DAYS = 3650
const DAY_MS = 86_400_000
/** The content of the files does not matter to the log. */
const MEDIA = eachKind((kind) => Buffer.from(kind))
const FIRST = Date.parse('2016-11-20')

export async function surveyTrust(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daysignal-bench-trust-'))
  const days = writeManifests(dir)
  const keeper = memoryKeeper()
  const log = await openTestLog(dir, { keeper })
  await timed(`log of ${DAYS} days: first run`, () => log.append(days))
  await timed(`${DAYS} proofs: first run`, () => log.writeProofs())
  const next = writeManifest(dir, DAYS)
  const again = await timed('log: opened by the next run', () => openTestLog(dir, { keeper }))
  await timed('log: one more day', () => again.append([next]))
  await timed('proofs: one more day', () => again.writeProofs())
  const proof = statSync(join(dir, next, dayProofName(next))).size
  console.log(
    `size of the log: ${statSync(join(dir, 'log')).size} bytes, of a proof: ${proof} bytes`,
  )
  rmSync(dir, { recursive: true, force: true })
}

/** Writes only the manifests of the days: the log names no other files. */
function writeManifests(dir: string): string[] {
  return Array.from({ length: DAYS }, (_, number) => writeManifest(dir, number))
}

function writeManifest(dir: string, number: number): string {
  const day = dayOf(FIRST + number * DAY_MS)
  const manifest = makeManifest(makeSnapshot(day), MEDIA)
  mkdirSync(join(dir, day))
  writeFileSync(join(dir, day, manifestName(day)), manifestBytes(manifest))
  return day
}

async function timed<T>(label: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const cpu = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  const ms = Math.round(performance.now() - start)
  console.log(`${label}: ${ms} ms, ${Math.round((user + system) / 1000)} ms CPU`)
  return result
}
