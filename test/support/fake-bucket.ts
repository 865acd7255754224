// An in-memory S3-compatible store for tests, which injects the faults that a real bucket shows only rarely.
import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BucketLocation } from '../../archive/place/location.ts'
import { listen } from './listen.ts'

interface StoredObject {
  body: Buffer
  etag: string
  at: Date
}

/**
 * A fault of one request: a status, a missing bucket, one that ignores If-Match and If-None-Match, or an answer that is lost
 * after the request has taken effect.
 */
export type BucketFault = number | 'no bucket' | 'ignores conditions' | 'lost' | undefined

export interface FakeBucket {
  location: BucketLocation
  /** By key, without the bucket's name. */
  objects: Map<string, StoredObject>
  /** Method and key of each request, such as `PUT log`. */
  requests: string[]
  /** Keys per page of a listing; two by default, so that every listing has several pages. */
  pageSize: number
  /** Called before each request is processed, with its entry in `requests`. */
  fault: (request: string) => BucketFault
  stop(): Promise<void>
}

const BUCKET = 'archive'

const CODES: Record<number, string> = {
  409: 'ConditionalRequestConflict',
  501: 'NotImplemented',
  503: 'SlowDown',
}

/** @param etagForm the form of an ETag in If-Match: quoted as on AWS, or bare as on Ceph */
export async function startFakeBucket(etagForm: 'quoted' | 'bare' = 'quoted'): Promise<FakeBucket> {
  const objects: FakeBucket['objects'] = new Map()
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => answer(request, body, response),
      // The client has left.
      () => response.destroy(),
    )
  })
  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://bucket')
    const key = decodeURIComponent(url.pathname.slice(BUCKET.length + 2))
    const name = `${request.method} ${key}`
    bucket.requests.push(name)
    const fault = bucket.fault(name)
    const send = (status: number, content: string | Buffer = '', headers = {}) =>
      fault === 'lost'
        ? response.destroy()
        : response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : content)
    if (typeof fault === 'number')
      return send(fault, `<Error><Code>${CODES[fault] ?? 'Other'}</Code></Error>`)
    if (fault === 'no bucket') return send(404, '<Error><Code>NoSuchBucket</Code></Error>')
    if (key === '') return send(200, listOf(bucket, url.searchParams))
    const present = objects.get(key)
    if (request.method === 'PUT') {
      const fails = fault !== 'ignores conditions' && preconditionFails(request, present, etagForm)
      if (fails) return send(412, '<Error><Code>PreconditionFailed</Code></Error>')
      if (hash('sha256', body) !== request.headers['x-amz-content-sha256']) return send(400)
      const etag = `"${hash('md5', body)}"`
      objects.set(key, { body, etag, at: new Date() })
      return send(200, '', { etag })
    }
    if (request.method === 'DELETE') return send(objects.delete(key) ? 204 : 404)
    if (!present) return send(404, '<Error><Code>NoSuchKey</Code></Error>')
    const headers = { etag: present.etag, 'content-length': present.body.length }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (first === undefined) return send(200, present.body, headers)
    if (Number(first) >= present.body.length) return send(416)
    const part = present.body.subarray(Number(first), Number(last) + 1)
    return send(206, part, { ...headers, 'content-length': part.length })
  }
  const { url, close } = await listen(server)
  const access = { region: 'us-east-1', accessKeyId: 'key', secretAccessKey: 'secret' }
  const bucket: FakeBucket = {
    location: { bucket: BUCKET, prefix: '', access: { ...access, endpoint: url } },
    objects,
    requests: [],
    pageSize: 2,
    fault: () => undefined,
    stop: close,
  }
  return bucket
}

function preconditionFails(
  { headers }: IncomingMessage,
  present: StoredObject | undefined,
  etagForm: 'quoted' | 'bare',
): boolean {
  if (headers['if-none-match'] === '*') return present !== undefined
  const expected = headers['if-match']
  if (expected === undefined) return false
  return expected !== (etagForm === 'bare' ? present?.etag.replaceAll('"', '') : present?.etag)
}

function listOf({ objects, pageSize }: FakeBucket, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const found = new Map<string, string>()
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix)) continue
    const slash = query.has('delimiter') ? key.indexOf('/', prefix.length) : -1
    const { body, etag, at } = objects.get(key) as StoredObject
    const folder = key.slice(0, slash + 1)
    if (slash >= 0) found.set(folder, `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`)
    else
      found.set(
        key,
        `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><LastModified>${at.toISOString()}</LastModified>` +
          `<ETag>${etag.replaceAll('"', '&quot;')}</ETag><Size>${body.length}</Size></Contents>`,
      )
  }
  const start = Number(query.get('continuation-token') ?? 0)
  const next = start + pageSize < found.size ? start + pageSize : null
  const token = next === null ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
  return `<ListBucketResult>${[...found.values()].slice(start, start + pageSize).join('')}${token}</ListBucketResult>`
}
