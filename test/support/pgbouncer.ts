// Starts a temporary PgBouncer in transaction mode, in front of a test's PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, isListening } from './free-port.ts'
import { released } from './release.ts'
import { until } from './time.ts'
import { asUser, chownToUser, SPAWN_OPTIONS } from './unprivileged.ts'

export interface Pooler {
  readonly port: number
  stop(): Promise<void>
}

/**
 * @param program path of pgbouncer
 * @param target port of PostgreSQL
 * @param poolSize connections to PostgreSQL for each database
 * @param settings further lines of pgbouncer.ini
 */
export async function startPooler(
  program: string,
  target: number,
  poolSize: number,
  settings = '',
): Promise<Pooler> {
  const dir = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  chownToUser(dir)
  const port = await freePort()
  const file = join(dir, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${target} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
${settings}
`,
  )
  const [setpriv = '', ...args] = [...asUser('KILL'), program, '-q', file]
  const child = spawn(setpriv, args, { ...SPAWN_OPTIONS, stdio: 'ignore', detached: true })
  await until(async () => child.exitCode !== null || (await isListening(port)))
  if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
  return {
    port,
    stop: released(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }),
  }
}
