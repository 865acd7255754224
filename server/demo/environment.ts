// Removes from an environment the settings of a real service that must not apply to the demo (COMMANDS.md 7.1).
import type { Env } from '../data/environment.ts'

/** Prefixes of the removed variables; those that do not end in `_` are whole names. */
const REMOVED = [
  'ARCHIVE_',
  'AWS_',
  'BASE_URL',
  'DATABASE_',
  'DISABLED_FEATURES',
  'LIMIT_',
  'LOG_ORIGIN',
  'MEDIA_REDIRECT',
  'METRICS_PORT',
  'MIRRORS',
  'OPERATOR_CONTACT',
  'READ_ONLY',
  'SCHEDULE',
  'SIGNING_KEY_FILE',
  'TRUST_PROXY',
  'WITNESS_POLICY',
] as const

/** The name of the demo's log. */
const DEMO_ORIGIN = 'demo.localhost'

/** Returns the environment of a demo in this data folder. It keeps HOST, PORT, FFMPEG_PATH and LOG_LEVEL. */
export function demoEnvironment(env: Env, dataDir: string): Env {
  const own = Object.entries(env).filter(
    ([name]) => !REMOVED.some((prefix) => name.startsWith(prefix)),
  )
  return { ...Object.fromEntries(own), DATA_DIR: dataDir, LOG_ORIGIN: DEMO_ORIGIN }
}
