// Parses the location of an archive: the path of a folder, the s3:// URL of a prefix in an object store, or an http address.
import { resolve } from 'node:path'
import { isAddress, parseBaseAddress, readVariable } from '../base/base-address.ts'

/** An object store with the credentials for it. */
export interface BucketLocation {
  bucket: string
  /** Without leading or trailing slash; may be empty. */
  prefix: string
  access: BucketAccess
}

export interface BucketAccess {
  /** Base URL of the store without trailing slash, such as `https://s3.eu-west-1.amazonaws.com`. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** The absolute path of a folder, or a bucket. */
export type ArchiveLocation = { dir: string } | BucketLocation

/** An archive that may only be readable: also the URL of a service, or of an archive's folder on a plain file server. */
export type PlaceLocation = ArchiveLocation | { url: string }

/**
 * Parses what an argument names: a folder, a bucket or an http address.
 * @throws Error that names the variable that a bucket needs and its rule
 */
export function locationOf(text: string, env: Record<string, string | undefined>): PlaceLocation {
  if (isAddress(text)) return { url: text }
  return isBucketUrl(text) ? parseBucketUrl('ARCHIVE_URL', text, env) : { dir: resolve(text) }
}

/** Whether a location is an object store's rather than a path. */
export function isBucketUrl(text: string): boolean {
  return /^s3:/i.test(text)
}

/** The s3:// URL of a bucket, for messages. */
export function nameOfBucket({ bucket, prefix }: BucketLocation): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
}

/** The folder's path or the bucket's s3:// URL, for messages and as the archive's name in the database. */
export function nameOfArchive(location: ArchiveLocation): string {
  return 'dir' in location ? location.dir : nameOfBucket(location)
}

const FORM = 'must be s3://BUCKET or s3://BUCKET/PREFIX'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*)?$/

/**
 * Parses the URL of a bucket and reads its credentials from the environment.
 * @throws Error that names the offending variable and its rule
 */
export function parseBucketUrl(
  variable: string,
  url: string,
  env: Record<string, string | undefined>,
): BucketLocation {
  return { ...readVariable(variable, () => parseBucketName(url)), access: readAccess(env) }
}

/** Parses the s3:// URL of a bucket. @throws Error that states the violated rule */
export function parseBucketName(url: string): Pick<BucketLocation, 'bucket' | 'prefix'> {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]*)(?:\/(.*?))?\/?$/i.exec(url) ?? []
  if (bucket === undefined) throw new Error(FORM)
  if (!BUCKET.test(bucket))
    throw new Error(
      `${FORM}; a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens`,
    )
  if (!PREFIX.test(prefix))
    throw new Error(
      `${FORM}; a prefix has letters, digits, dots, hyphens and underscores, and each part of it begins with a letter or digit`,
    )
  return { bucket, prefix }
}

/** Reads the variables that the AWS command line and SDKs use. */
function readAccess(env: Record<string, string | undefined>): BucketAccess {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
  const variable = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL'
  const stated = env[variable]
  return {
    endpoint: stated
      ? readVariable(variable, () => parseBaseAddress(stated))
      : `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId: required(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: required(env, 'AWS_SECRET_ACCESS_KEY'),
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
  }
}

function required(env: Record<string, string | undefined>, variable: string): string {
  const text = env[variable]
  if (!text) throw new Error(`${variable}: is needed for an archive on an object store`)
  return text
}
