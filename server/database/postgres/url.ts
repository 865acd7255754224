// Parses a PostgreSQL URL into hosts, database, login and TLS settings.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { MAX_PORT } from '../../../archive/base/base-address.ts'

export interface PostgresLocation {
  /** In the order in which they are first tried. */
  hosts: { host: string; port: number }[]
  user?: string
  password?: string
  database?: string
  ssl: false | { ca?: string; rejectUnauthorized: boolean }
}

const DEFAULT_PORT = 5432

export const isPostgresUrl = (url: string): boolean => /^postgres(?:ql)?:/i.test(url)

/**
 * Parses postgres://[user[:password]@]host[:port][,host[:port]...]/database[?sslmode=...&sslrootcert=FILE].
 * @throws Error that names the broken rule and quotes nothing that may be a password
 */
export function parsePostgresUrl(url: string): PostgresLocation {
  const parts =
    /^postgres(?:ql)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^@/?]+)(?:\/([^/?]*))?(?:\?(.*))?$/i.exec(
      url,
    )
  if (!parts) throw new Error('must have the form postgres://user:password@host:5432/database')
  const [, user, password, hosts = '', database, query] = parts
  return {
    hosts: hosts.split(',').map(readHost),
    ssl: readTls(new URLSearchParams(query)),
    ...(user && { user: decoded(user) }),
    ...(password && { password: decoded(password) }),
    ...(database && { database: decoded(database) }),
  }
}

/** A host for messages. */
export const nameOfHost = ({ host, port }: PostgresLocation['hosts'][number]): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** Hosts and database for messages, without user and password. */
export const nameOfPostgres = ({ hosts, database = '' }: PostgresLocation): string =>
  `${hosts.map(nameOfHost).join(',')}/${database}`

function readHost(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::([0-9]+))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined) throw new Error('must name hosts as host:port, separated by commas')
  if (Number(port ?? DEFAULT_PORT) > MAX_PORT)
    throw new Error(`must have a port up to ${MAX_PORT} for every host`)
  return { host: decoded(host), port: Number(port ?? DEFAULT_PORT) }
}

const PARAMETERS = ['sslmode', 'sslrootcert']

/** Other modes mean different things to libpq, to this driver and to its next version. */
function readTls(query: URLSearchParams): PostgresLocation['ssl'] {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new Error(`${unknown}: is not a known parameter; must be one of ${PARAMETERS.join(', ')}`)
  const mode = query.get('sslmode') ?? 'disable'
  const authority = query.get('sslrootcert')
  if (authority !== null && mode !== 'verify-full')
    throw new Error('sslrootcert: needs sslmode=verify-full')
  if (mode === 'disable') return false
  if (mode === 'no-verify') return { rejectUnauthorized: false }
  if (mode !== 'verify-full') throw new Error('sslmode: must be verify-full, disable or no-verify')
  return { rejectUnauthorized: true, ...(authority && { ca: readAuthority(authority) }) }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`sslrootcert: ${(error as Error).message}`, { cause: error })
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must be percent-encoded UTF-8')
  }
}
