// npm run mirror: makes and updates a mirror of a service's archive, or of one that a plain file server serves.
import { styleText } from 'node:util'
import { ArchiveError } from '../../archive/errors.ts'
import type { Selection } from '../../archive/format/mirror.ts'
import { isDay, MEDIA_KINDS, type MediaKind } from '../../archive/format/paths.ts'
import { parseVkey } from '../../archive/log/note.ts'
import { prepareFolder } from '../../archive/mirror/folder.ts'
import { type MirrorReport, mirrorArchive } from '../../archive/mirror/mirror.ts'
import { EXIT_BUSY, lockArchive, PipelineBusy } from '../lock.ts'
import { readAddress } from './place.ts'
import { EXIT_FAILED, parseWords, progressBar, runCommand, UsageError } from './terminal.ts'

const USAGE = `Makes and updates a mirror: a folder that is an archive of the same format. What
is there already is not fetched again; an interrupted run is resumed by the
next. A history that was changed is not followed.

  npm run mirror -- URL DIR [options]

  URL           the base address of a service, as in https://example.org, or of
                an archive's folder
  DIR           the mirror's folder, empty or made by this command
  --media LIST  the media to fetch: some of wav,mp4,png, or none; by default all
  --from DAY    the first day, as in 2026-11-19
  --to DAY      the last day
  --key VKEY    the key that must have signed the log; by default the one that
                the mirror knows
  --jobs N      how many days are fetched at once, 1 to 16; by default 4
  --json        prints one JSON object: {"ok","source","days","updated",
                "bytes","findings":[{"code","file","message"}]}
  --help        prints this

A mirror remembers its days and media; later runs can only widen them.
Exit: 0 complete, 1 something is wrong or missing, 2 wrong usage, 75 another
mirror is at work on the folder.
`

const OPTIONS = {
  media: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
  jobs: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const DEFAULT_JOBS = 4
const MAX_JOBS = 16

async function main(args: string[]): Promise<number> {
  const { values, words } = parseWords(args, OPTIONS)
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const [source, dir, ...others] = words
  if (source === undefined || dir === undefined || dir === '' || others.length > 0)
    throw new UsageError('name an address and a folder')
  const options = {
    source: readAddress(source),
    dir,
    selection: readSelection(values),
    keys: values.key === undefined ? null : [readKey(values.key)],
    jobs: readJobs(values.jobs),
  }
  await prepareFolder(dir)
  const release = lock(dir)
  const bar = progressBar(process.stderr)
  const onProgress = (done: number, total: number, day: string) =>
    bar.show(
      total === 0 ? null : done / total,
      `${megabytes(done)} of ${megabytes(total)} MB  ${day}`,
    )
  try {
    const report = await mirrorArchive({ ...options, onProgress })
    bar.clear()
    print(report, dir, values.json === true)
    return report.ok ? 0 : EXIT_FAILED
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
    throw new PipelineBusy(`${dir}: another mirror is at work on it`, { cause: error })
  }
}

function readSelection({
  media,
  from,
  to,
}: {
  media?: string
  from?: string
  to?: string
}): Partial<Selection> {
  for (const [name, value] of Object.entries({ from, to }))
    if (value !== undefined && !isDay(value))
      throw new UsageError(`--${name}: ${JSON.stringify(value)} is not a date like 2026-11-19`)
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--from must not be later than --to')
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(media !== undefined && { media: readMedia(media) }),
  }
}

function readMedia(list: string): MediaKind[] {
  const names = list === 'none' ? [] : list.split(',')
  const kinds = MEDIA_KINDS.filter((kind) => names.includes(kind))
  if (kinds.length !== names.length)
    throw new UsageError(`--media: must be some of ${MEDIA_KINDS.join(',')}, or none`)
  return kinds
}

function readKey(text: string) {
  try {
    return parseVkey(text)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new UsageError(`--key: ${error.message}`)
  }
}

function readJobs(text = String(DEFAULT_JOBS)): number {
  const jobs = Number(text)
  if (!/^[1-9][0-9]?$/.test(text) || jobs > MAX_JOBS)
    throw new UsageError(`--jobs: must be a whole number from 1 to ${MAX_JOBS}`)
  return jobs
}

function print(report: MirrorReport, dir: string, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(report)}\n`)
    return
  }
  const { ok, days, updated, bytes, findings } = report
  for (const { code, file, message } of findings)
    console.error(`${styleText('red', code)} ${visible(file)}: ${visible(message)}`)
  const news = updated === 0 ? 'nothing new' : `${updated} updated, ${megabytes(bytes)} MB fetched`
  const state = ok ? 'complete' : 'not complete'
  process.stdout.write(`${dir}: ${days} day${days === 1 ? '' : 's'}, ${news}; ${state}\n`)
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** What a server says must not move the cursor. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

const exitCodeOf = (error: unknown): number | undefined =>
  error instanceof PipelineBusy ? EXIT_BUSY : undefined

if (import.meta.main) await runCommand('mirror', main, exitCodeOf)
