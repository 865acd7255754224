// npm run mirror: creates and updates a mirror of an archive that a service or a plain file server publishes.
import { styleText } from 'node:util'
import { program } from '../../archive/base/command-line.ts'
import { progressBar } from '../../archive/base/progress-bar.ts'
import {
  EXIT_FAILED,
  EXIT_PENDING,
  runCommand,
  type Terminal,
} from '../../archive/base/terminal.ts'
import { visible } from '../../archive/base/terminal-text.ts'
import { prepareFolder } from '../../archive/mirror/folder.ts'
import { type MirrorReport, mirrorArchive } from '../../archive/mirror/mirror.ts'
import { isNote, isPending } from '../../archive/verify/findings.ts'
import { EXIT_BUSY, lockArchive, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import { system } from '../../server/system/system.ts'
import { MIRROR } from './mirror-arguments.ts'

type Arguments = ReturnType<typeof MIRROR.prepare>

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const { dir, json, fresh: hours, policy } = args
  await prepareFolder(dir)
  const release = lock(dir)
  const bar = progressBar(terminal.stderr, system.clock)
  const onProgress = (done: number, total: number, day: string) =>
    bar.show(
      total === 0 ? null : done / total,
      `${megabytes(done)} of ${megabytes(total)} MB  ${day}`,
    )
  const onRecords = (done: number, total: number, day: string) =>
    bar.show(done / total, `records of ${done} of ${total} days  ${day}`)
  try {
    const now = system.clock.now()
    const witnesses = policy && { policy, now }
    const freshness = hours === undefined ? undefined : { hours, now }
    const options = { ...args, freshness, witnesses, onProgress, onRecords }
    const report = await mirrorArchive(options)
    bar.clear()
    print(report, dir, json, terminal)
    return report.ok ? 0 : isWaiting(report) ? EXIT_PENDING : EXIT_FAILED
  } finally {
    bar.clear()
    release()
  }
}

function lock(dir: string): () => void {
  try {
    return lockArchive(dir)
  } catch (error) {
    if (!(error instanceof PipelineBusy)) throw error
    throw new PipelineBusy(`${dir}: another process is updating this mirror`, { cause: error })
  }
}

function print(report: MirrorReport, dir: string, json: boolean, terminal: Terminal): void {
  const { stdout, stderr } = terminal
  if (json) {
    stdout.write(`${JSON.stringify(report)}\n`)
    return
  }
  const { ok, days, updated, bytes, records = 0, findings } = report
  for (const finding of findings) {
    const { code, file, message } = finding
    const line = `${visible(file)}: ${visible(message)}`
    // A note is no problem, and cron mails what is on standard error.
    if (isNote(finding)) stdout.write(`${styleText('yellow', 'note')} ${line}\n`)
    else stderr.write(`${styleText('red', code)} ${line}\n`)
  }
  const changes = [
    updated > 0 && `${updated} updated, ${megabytes(bytes)} MB fetched`,
    records > 0 && `records of ${records} fetched`,
  ].filter((part) => part !== false)
  const state = ok ? 'complete' : 'not complete'
  stdout.write(
    `${dir}: ${days} day${days === 1 ? '' : 's'}, ${changes.join(', ') || 'nothing new'}; ${state}\n`,
  )
}

/** Whether everything is here, and only a quorum of witnesses is still missing. */
const isWaiting = ({ findings }: MirrorReport): boolean => isPending({ findings, days: [] })

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const exitCodeOf = (error: unknown): number | undefined =>
  error instanceof PipelineBusy ? EXIT_BUSY : undefined

export const mirror = program(MIRROR, run, exitCodeOf)

if (import.meta.main) await runCommand(mirror)
