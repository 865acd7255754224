// Starts a temporary PgBouncer in transaction mode, in front of a test's PostgreSQL.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, untilListening } from './listen.ts'
import { endProcess } from './programs.ts'
import { released, temporaryFolder } from './release.ts'
import { chownToUser, startAsUser } from './unprivileged.ts'

/**
 * @param program path of pgbouncer
 * @param target port of PostgreSQL
 * @param poolSize connections to PostgreSQL for each database
 * @param settings further lines of pgbouncer.ini
 * @returns its port
 */
export async function startPooler(
  program: string,
  target: number,
  poolSize: number,
  settings = '',
): Promise<number> {
  const dir = temporaryFolder()
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
  const child = startAsUser([program, '-q', file], join(dir, 'log'))
  released(() => endProcess(child))
  await untilListening(port, child)
  return port
}
