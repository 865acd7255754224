// The log: a line for people on a terminal, JSON for everything else.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import pino, { type Logger } from 'pino'

/** Where the log goes. */
export interface Output {
  isTTY: boolean
  hasColors?(): boolean
  write(entry: string): unknown
}

/** What is kept of a log that cannot be written now; entries that do not fit are lost. */
const KEPT_BYTES = 64 * 1024

/** Fields that are the same in every line, or that a line's own sentence repeats. */
const LEFT_OUT = ['pid', 'hostname', 'url', 'day', 'dataDir', 'archiveDir', 'nextSnapshot']

/** @param output standard output, or what a test takes for it */
export function openLog(level: string, output: Output): Logger {
  return pino({ level }, output.isTTY ? readable(output) : output)
}

/**
 * Standard output for a log that outlives it: process.stdout would be closed for good, and the service with it, where a
 * disk is full for a moment, a terminal is gone, or the reader of a pipe is. Nothing waits for a reader.
 */
export function standardOutput(fd: number = process.stdout.fd): Output {
  let kept = Buffer.alloc(0)
  const flush = () => {
    try {
      while (kept.length > 0) kept = kept.subarray(writeSync(fd, kept))
    } catch {
      // There is nowhere to report it. What is kept goes before the next entry.
    }
  }
  return {
    isTTY: process.stdout.isTTY,
    hasColors: () => process.stdout.hasColors(),
    write(entry) {
      flush()
      if (kept.length + entry.length > KEPT_BYTES) return
      kept = Buffer.concat([kept, Buffer.from(entry)])
      flush()
    },
  }
}

/** Each entry as `23:31:00 info: Daysignal listens on …`, times in UTC as everywhere here. */
function readable(output: Output): { write(entry: string): void } {
  // Loaded on a terminal only.
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)(
    'pino-pretty',
  )
  const lineOf = prettyFactory({
    colorize: output.hasColors?.() ?? false,
    ignore: LEFT_OUT.join(','),
    singleLine: true,
    translateTime: 'UTC:HH:MM:ss',
    customPrettifiers: {
      // Without the brackets that are put around it otherwise.
      time: String,
      level: (_level, _key, _entry, { labelColorized }) => labelColorized.toLowerCase(),
    },
  })
  return { write: (entry) => output.write(lineOf(entry)) }
}
