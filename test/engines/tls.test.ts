// TLS to PostgreSQL, as the parameters of the URL require.
// Rules: OPERATING.md 2.1.
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { type Cluster, startCluster } from '../support/postgres.ts'
import { findProgram } from '../support/programs.ts'

const openssl = findProgram('openssl')

describe.skipIf(!openssl)('a PostgreSQL with a certificate', () => {
  let certificates: Certificates
  let cluster: Cluster
  beforeAll(async () => {
    certificates = makeCertificates(openssl as string)
    const { certificate, key } = certificates
    const settings = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }
    cluster = await startCluster({ durable: false, settings })
  })

  /** Returns `encrypted` or `plain`, or the error message if the connection failed. */
  async function connect(query: string, host = '127.0.0.1'): Promise<string> {
    const url = `postgres://postgres:secret@${host}:${cluster.primary.port}/postgres${query}`
    try {
      const database = await openDatabase(url, { clock: system.clock, create: true })
      const { rows } = await sql<{ ssl: boolean }>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database.db)
      await database.close()
      return rows[0]?.ssl ? 'encrypted' : 'plain'
    } catch (error) {
      return (error as Error).message
    }
  }

  const verified = () => `?sslmode=verify-full&sslrootcert=${certificates.authority}`

  test('verify-full accepts a certificate of the authority in sslrootcert', async () => {
    expect(await connect(verified())).toBe('encrypted')
  })

  test('verify-full rejects an unknown authority', async () => {
    expect(await connect('?sslmode=verify-full')).toMatch(
      /^127\.0\.0\.1:[0-9]+\/postgres: [^\n]*certificate[^\n]*$/,
    )
  })

  test('verify-full rejects the certificate of another host', async () => {
    expect(await connect(verified(), 'localhost')).toMatch(
      /^localhost:[0-9]+\/postgres: Hostname\/IP does not match[^\n]*$/,
    )
  })

  test('no-verify encrypts without checking the certificate', async () => {
    expect(await connect('?sslmode=no-verify', 'localhost')).toBe('encrypted')
  })

  test.each(['?sslmode=disable', ''])('a URL with %j does not encrypt', async (query) => {
    expect(await connect(query)).toBe('plain')
  })

  test('a server without TLS is rejected if the URL requires TLS', async () => {
    const plain = await startCluster({ durable: false })
    const url = `${plain.primary.url()}?sslmode=no-verify`
    await expect(openDatabase(url, { clock: system.clock, create: true })).rejects.toThrow(
      /does not support SSL/,
    )
  })
})
