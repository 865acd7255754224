// Opens the log: readable lines on a terminal, JSON everywhere else.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import pino, { type Logger } from 'pino'

export interface LogOutput {
  isTTY: boolean
  hasColors?(): boolean
  write(entry: string): unknown
}

/**
 * Entries are buffered up to this size while the output cannot be written; further ones are dropped. A single entry may
 * be larger.
 */
const MAX_BACKLOG_BYTES = 64 * 1024

/** Fields omitted on a terminal: they are the same in every line, or the message repeats them. */
const OMITTED_FIELDS = ['pid', 'hostname', 'url', 'day', 'dataDir', 'archiveDir', 'nextSnapshot']

/** @param output standard output, or a test's replacement for it */
export function openLog(level: string, output: LogOutput): Logger {
  return pino({ level }, output.isTTY ? readable(output) : output)
}

/**
 * Returns standard output as a log target that survives write errors. process.stdout does not: a full disk, a closed
 * terminal or a pipe without a reader closes it for good and stops the service. Writes never wait for a reader.
 */
export function standardOutput(fd: number = process.stdout.fd): LogOutput {
  let backlog = Buffer.alloc(0)
  const flush = () => {
    try {
      while (backlog.length > 0) backlog = backlog.subarray(writeSync(fd, backlog))
    } catch {
      // There is nowhere to report the error. The backlog is retried before the next entry.
    }
  }
  return {
    isTTY: process.stdout.isTTY,
    hasColors: () => process.stdout.hasColors(),
    write(entry) {
      flush()
      const bytes = Buffer.from(entry)
      const length = backlog.length + bytes.length
      if (backlog.length > 0 && length > MAX_BACKLOG_BYTES) return
      backlog = Buffer.concat([backlog, bytes], length)
      flush()
    },
  }
}

/** Formats each entry as `23:31:00 info: Daysignal listens on …`, with the time in UTC. */
function readable(output: LogOutput): { write(entry: string): void } {
  // Loaded only when it is needed.
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)(
    'pino-pretty',
  )
  const lineOf = prettyFactory({
    colorize: output.hasColors?.() ?? false,
    ignore: OMITTED_FIELDS.join(','),
    singleLine: true,
    translateTime: 'UTC:HH:MM:ss',
    customPrettifiers: {
      // Omits pino-pretty's brackets.
      time: String,
      level: (_level, _key, _entry, { labelColorized }) => labelColorized.toLowerCase(),
    },
  })
  return { write: (entry) => output.write(lineOf(entry)) }
}
