// Global setup of the engine tests: a PostgreSQL with a database of our tables, which tests copy, and a Ceph with its S3 gateway
// and a bucket.
import { AwsClient } from 'aws4fetch'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { hasCeph, startCeph } from './ceph.ts'
import { TEMPLATE } from './database.ts'
import { postgresPrograms, startCluster, statement } from './postgres.ts'
import { endFile } from './release.ts'

/** Runs before the first test file. @returns the teardown, which runs after the last */
export default async function prepare(): Promise<() => Promise<void>> {
  if (postgresPrograms()) {
    const { primary } = await startCluster({ durable: false })
    await statement(primary.url(), `create database ${TEMPLATE}`)
    const options = { clock: system.clock, create: true }
    await (await openDatabase(primary.url(TEMPLATE), options)).close()
    process.env.TEST_POSTGRES_URL = primary.url()
  }
  if (hasCeph()) {
    const access = await startCeph()
    const client = new AwsClient({ ...access, service: 's3', retries: 0 })
    const { status } = await client.fetch(`${access.endpoint}/archive`, { method: 'PUT' })
    if (status !== 200) throw new Error(`cannot create the bucket: status ${status}`)
    process.env.TEST_BUCKET = JSON.stringify(access)
  }
  return endFile
}
