// The log: a line for people on a terminal, JSON for everything else.
import { createRequire } from 'node:module'
import pino, { type Logger } from 'pino'

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & Partial<NodeJS.WriteStream>

/** Fields that are the same in every line, or that a line's own sentence repeats. */
const LEFT_OUT = ['pid', 'hostname', 'url', 'day', 'dataDir', 'archiveDir', 'nextSnapshot']

/** @param output standard output, or what a test takes for it */
export function openLog(level: string, output: Output): Logger {
  return pino({ level }, output.isTTY ? readable(output) : output)
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
