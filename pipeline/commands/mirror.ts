// npm run mirror: creates and updates a mirror of an archive that a service or a plain file server publishes.
import { styleText } from 'node:util'
import { parseBaseAddress } from '../../archive/base/base-address.ts'
import { program, programLine } from '../../archive/base/command-line.ts'
import { progressBar } from '../../archive/base/progress-bar.ts'
import {
  EXIT_FAILED,
  EXIT_PENDING,
  runCommand,
  type Terminal,
  UsageError,
} from '../../archive/base/terminal.ts'
import { visible } from '../../archive/base/terminal-text.ts'
import { MEDIA_KINDS, type MediaKind } from '../../archive/format/media.ts'
import { parseVkey } from '../../archive/log/note.ts'
import { readPolicyFile } from '../../archive/log/policy-file.ts'
import { prepareFolder } from '../../archive/mirror/folder.ts'
import { type MirrorReport, mirrorArchive } from '../../archive/mirror/mirror.ts'
import { isNote, isPending } from '../../archive/verify/findings.ts'
import { EXIT_BUSY, lockArchive, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import { system } from '../../server/system/system.ts'
import { demandOrder, FRESH, readAddress, readDay } from './values.ts'

const DEFAULT_JOBS = 4
const MAX_JOBS = 16

export const MIRROR = programLine({
  name: 'mirror',
  summary:
    'Creates and updates a mirror: a folder that is an archive of the same format. Existing files are not fetched again; the next run resumes an interrupted one. A rewritten history is not followed.',
  words: [
    {
      name: 'URL',
      help: "the address of a service, such as https://example.org (its BASE_URL, not one of its pages), or of an archive's folder",
    },
    { name: 'DIR', help: "the mirror's folder, empty or created by this command" },
  ],
  options: {
    media: {
      takes: 'LIST',
      read: readMedia,
      help: `the media files to fetch: some of ${MEDIA_KINDS.join(',')}, or none; by default those of the mirror, or all for a new one`,
    },
    from: { takes: 'DAY', read: readDay, help: 'the first day, such as 2026-11-19' },
    to: { takes: 'DAY', read: readDay, help: 'the last day' },
    key: {
      takes: 'VKEY',
      read: parseVkey,
      help: 'the key that must have signed the log, in this run and in later ones; by default the keys that the mirror has stored',
    },
    policy: {
      takes: 'FILE',
      read: readPolicyFile,
      help: 'does not follow the log without the signatures of this policy (c2sp.org/tlog-policy): of one of its logs, which count as --key, and of a quorum of witnesses',
    },
    fresh: FRESH,
    peer: {
      takes: 'URL',
      isRepeated: true,
      read: parseBaseAddress,
      help: 'does not follow the log unless the archive at URL, such as another mirror, has the same one; may be repeated',
    },
    records: {
      help: 'also keeps the records of each day and the record of moderation, in this run and in later ones; what the source hides is removed',
    },
    jobs: {
      takes: 'N',
      read: readJobs,
      help: `the number of days fetched at a time, 1 to ${MAX_JOBS}; by default ${DEFAULT_JOBS}`,
    },
    json: {
      help: 'prints one JSON object: {"ok","source","days","updated", "bytes","records","findings":[{"code","file","message"}]}',
    },
  },
  closing: [
    'A mirror stores its selection of days and files; later runs use it, or extend it with --media, --from, --to and --records.',
    'Exit: 0 complete, 1 something is wrong or missing, 2 usage error, 75 another process is updating the folder, or only a quorum of witnesses is missing, and there is time left for it.',
  ],
  prepare([source = '', dir = ''], options) {
    const { media, from, to, key, records, policy, fresh, peer: peers, json } = options
    demandOrder(from, to)
    return {
      /** An address without trailing slash. */
      source: readAddress(source),
      dir,
      selection: {
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(media !== undefined && { media }),
        ...(records && { records }),
      },
      /** The keys that must have signed the log; null for those that the mirror knows. */
      keys: key === undefined ? null : [key],
      jobs: options.jobs ?? DEFAULT_JOBS,
      ...{ policy, fresh, peers, json },
    }
  },
})

function readMedia(list: string): MediaKind[] {
  const names = list === 'none' ? [] : list.split(',')
  const kinds = MEDIA_KINDS.filter((kind) => names.includes(kind))
  if (kinds.length !== names.length)
    throw new UsageError(`must be some of ${MEDIA_KINDS.join(',')}, or none`)
  return kinds
}

function readJobs(text: string): number {
  const jobs = Number(text)
  if (!/^[1-9][0-9]?$/.test(text) || jobs > MAX_JOBS)
    throw new UsageError(`must be a whole number from 1 to ${MAX_JOBS}`)
  return jobs
}

async function run(args: ReturnType<typeof MIRROR.prepare>, terminal: Terminal): Promise<number> {
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
    if (report.ok) return 0
    // Everything may be here, and only a quorum of witnesses still be missing.
    return isPending({ findings: report.findings, days: [] }) ? EXIT_PENDING : EXIT_FAILED
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

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

export const mirror = program(MIRROR, run, (error) =>
  error instanceof PipelineBusy ? EXIT_BUSY : undefined,
)

if (import.meta.main) await runCommand(mirror)
