// What vitest prepares once for the tests of engines: a PostgreSQL, and in it a database with our tables to copy.
import { openStore } from '../../server/store/database.ts'
import { TEMPLATE } from './database.ts'
import { postgresPrograms, startCluster, statement } from './postgres.ts'

/** Called before the first test file; what it returns is called after the last. */
export default async function prepare(): Promise<() => Promise<void>> {
  if (!postgresPrograms()) return async () => {}
  const cluster = await startCluster({ durable: false })
  await statement(cluster.primary.url(), `create database ${TEMPLATE}`)
  await (await openStore(cluster.primary.url(TEMPLATE), { create: true })).close()
  process.env.TEST_POSTGRES_URL = cluster.primary.url()
  return () => cluster.stop()
}
