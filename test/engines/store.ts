// The object store that the engine tests share; each archive has its own prefix in one bucket.
import { randomUUID } from 'node:crypto'
import type { StoreAccess, StoreLocation } from '../../archive/place/location.ts'
import { type StorePlace, storePlace } from '../../archive/place/store.ts'

export function storeAccess(): StoreAccess {
  return JSON.parse(process.env.TEST_STORE ?? '') as StoreAccess
}

/** Opens an empty place in the store. @param endpoint the store by default, or a relay in front of it */
export async function openTestStore(
  endpoint = storeAccess().endpoint,
): Promise<StorePlace & { location: StoreLocation }> {
  const access = { ...storeAccess(), endpoint }
  const location = { bucket: 'archive', prefix: `tests/${randomUUID()}`, access }
  const place = await storePlace(location, { random: () => 0.1 })
  return Object.assign(place, { location })
}

/** The environment variables for a store. */
export function environmentOf({ bucket, prefix, access }: StoreLocation): Record<string, string> {
  return {
    ARCHIVE_URL: `s3://${bucket}/${prefix}`,
    AWS_ENDPOINT_URL: access.endpoint,
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
  }
}
