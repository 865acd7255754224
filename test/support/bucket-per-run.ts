// Global setup of the engine tests: a Ceph with its S3 gateway and a bucket.
import { AwsClient } from 'aws4fetch'
import { hasCeph, startCeph } from './ceph.ts'

/** Runs before the first test file. @returns the teardown, which runs after the last */
export default async function prepare(): Promise<() => Promise<void>> {
  if (!hasCeph()) return async () => {}
  const ceph = await startCeph()
  const client = new AwsClient({ ...ceph.access, service: 's3', retries: 0 })
  const answer = await client.fetch(`${ceph.access.endpoint}/archive`, { method: 'PUT' })
  if (answer.status !== 200) throw new Error(`cannot create the bucket: status ${answer.status}`)
  process.env.TEST_BUCKET = JSON.stringify(ceph.access)
  return () => ceph.stop()
}
