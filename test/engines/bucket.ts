// The object store that the engine tests share; each archive has its own prefix in one bucket.
import { randomUUID } from 'node:crypto'
import { type BucketPlace, bucketPlace } from '../../archive/place/bucket.ts'
import type { BucketAccess, BucketLocation } from '../../archive/place/location.ts'

/** Opens an empty place in the store. @param endpoint the store by default, or a relay in front of it */
export async function openTestBucket(
  endpoint?: string,
): Promise<BucketPlace & { location: BucketLocation }> {
  const store: BucketAccess = JSON.parse(process.env.TEST_BUCKET ?? '')
  const access = { ...store, endpoint: endpoint ?? store.endpoint }
  const location = { bucket: 'archive', prefix: `tests/${randomUUID()}`, access }
  const place = await bucketPlace(location, { random: () => 0.1 })
  return Object.assign(place, { location })
}

/** The environment variables for a bucket. */
export function environmentOf({ bucket, prefix, access }: BucketLocation): Record<string, string> {
  return {
    ARCHIVE_URL: `s3://${bucket}/${prefix}`,
    AWS_ENDPOINT_URL: access.endpoint,
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
  }
}
