// Global setup of the engine tests: a PostgreSQL with a database of our tables, which tests copy.
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { TEMPLATE } from './database.ts'
import { postgresPrograms, startCluster, statement } from './postgres.ts'

/** Runs before the first test file. @returns the teardown, which runs after the last */
export default async function prepare(): Promise<() => Promise<void>> {
  if (!postgresPrograms()) return async () => {}
  const cluster = await startCluster({ durable: false })
  await statement(cluster.primary.url(), `create database ${TEMPLATE}`)
  await (
    await openDatabase(cluster.primary.url(TEMPLATE), { clock: system.clock, create: true })
  ).close()
  process.env.TEST_POSTGRES_URL = cluster.primary.url()
  return () => cluster.stop()
}
