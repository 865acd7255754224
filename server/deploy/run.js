// Starts a program with what Node needs for it: `node server/deploy/run.js start` is `npm start`, and needs no shell.
import { join } from 'node:path'

// An import would load all that these modules can do, for a program that is replaced at once: 4 ms of each start.
const { accessSync, constants } = process.getBuiltinModule('node:fs')

const ROOT = join(import.meta.dirname, '../..')

/**
 * Keeps the compiled modules: a start takes half the time, and 35 MiB less. They stay valid when the project's folder is
 * moved, as an update does.
 */
const COMPILED = {
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/modules'),
  NODE_COMPILE_CACHE_PORTABLE: '1',
}

/** A server that another user has installed can write no modules there: start.js keeps its own in DATA_DIR. */
const SERVED = isWritable(COMPILED.NODE_COMPILE_CACHE) ? COMPILED : {}

/**
 * The young generation takes at most 3 times 8 MiB: 190 MiB instead of 300 while long pages are read at once. Garbage is
 * collected when the server is idle (server/system/memory.ts), which is 25 MiB smaller then. Links are not resolved, since
 * `npm ci` makes none among the modules (OPERATING.md 1): a start takes 25 ms less.
 */
const SERVING = ['--max-semi-space-size=8', '--expose-gc', '--preserve-symlinks']

/**
 * glibc returns freed memory [bytes]: an idle server is another 12 MiB smaller, and 25 MiB after long pages; a day with its
 * film is sealed in 235 MiB instead of 270. The runs of a server inherit it.
 */
const TRIMMED = { MALLOC_TRIM_THRESHOLD_: '131072' }

/** The young generation takes at most 3 times 2 MiB: 160 MiB instead of 200 for many days at once. */
const CHECKING = ['--max-semi-space-size=2']

/**
 * The programs by the names of their npm scripts, with the flags and the environment of their Node.
 * @type {Record<string, { file: string, flags?: string[], env?: Record<string, string> }>}
 */
const PROGRAMS = {
  start: { file: 'server/start.js', flags: SERVING, env: { ...SERVED, ...TRIMMED } },
  snapshot: { file: 'pipeline/commands/snapshot.ts', env: { ...COMPILED, ...TRIMMED } },
  mirror: { file: 'pipeline/commands/mirror.ts', flags: CHECKING, env: COMPILED },
  verify: { file: 'pipeline/commands/verify.ts', flags: CHECKING, env: COMPILED },
  decode: { file: 'pipeline/commands/decode.ts', env: COMPILED },
  encode: { file: 'pipeline/commands/encode.ts', env: COMPILED },
  operator: { file: 'server/operator/main.ts', env: COMPILED },
  demo: {
    file: 'server/demo/start.js',
    flags: SERVING,
    env: { ...COMPILED, ...TRIMMED },
  },
}

const [name = '', ...args] = process.argv.slice(2)
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
if (program) become(program, args)
else {
  process.stderr.write(`run: name one of ${Object.keys(PROGRAMS).join(', ')}\n`)
  process.exitCode = 2
}

/**
 * Replaces this process by a program, so that signals reach it and its exit status is the caller's. On Windows, where that
 * is impossible, the program is a child, which Ctrl-C reaches too.
 * @param {{ file: string, flags?: string[], env?: Record<string, string> }} program
 * @param {string[]} args
 */
function become({ file, flags = [], env = {} }, args) {
  const words = [...flags, join(ROOT, file), ...args]
  const environment = { ...process.env, ...env }
  if (process.platform !== 'win32')
    process.execve?.(process.execPath, [process.execPath, ...words], environment)
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status } = spawnSync(process.execPath, words, { env: environment, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

/** @param {string} path */
function isWritable(path) {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
