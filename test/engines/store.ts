// The object store that the tests of engines share: each archive has a prefix of its own in one bucket.
import { randomUUID } from 'node:crypto'
import type { StoreAccess, StoreLocation } from '../../archive/place/location.ts'
import { type StorePlace, storePlace } from '../../archive/place/store.ts'

export function storeAccess(): StoreAccess {
  return JSON.parse(process.env.TEST_STORE ?? '') as StoreAccess
}

/** A place with nothing in it. @param endpoint a relay in front of the store */
export async function openTestStore(
  endpoint = storeAccess().endpoint,
): Promise<StorePlace & { location: StoreLocation }> {
  const access = { ...storeAccess(), endpoint }
  const location = { bucket: 'archive', prefix: `tests/${randomUUID()}`, access }
  const place = await storePlace(location, { random: () => 0.1 })
  return Object.assign(place, { location })
}

/** The variables that name a store. */
export function environmentOf({ bucket, prefix, access }: StoreLocation): Record<string, string> {
  return {
    ARCHIVE_URL: `s3://${bucket}/${prefix}`,
    AWS_ENDPOINT_URL: access.endpoint,
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
  }
}
