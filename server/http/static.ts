// Files that are served as they are. The list is fixed when the service starts, and each file is a route of its own: no
// path is ever built from a request.
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import {
  answerTagged,
  type CacheRule,
  contentHeaders,
  encodedEtag,
  encodingHeaders,
  etagOf,
} from './answer.ts'
import {
  Compressor,
  chooseEncoding,
  type Encoding,
  WORTH_COMPRESSING_BYTES,
} from './compression.ts'
import type { Route } from './mount.ts'

export interface ServedFile {
  /** The address, as in /static/daysignal.css */
  path: string
  contentType: string
  bytes: Uint8Array
  /** `immutable` only where the address carries a hash of the content. */
  cache: CacheRule
}

/** By extension; a file of any other is not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wav': 'audio/wav',
}

/** A file with the content type that its address's ending, or the given one, stands for. */
export function servedFile(
  path: string,
  content: string | Uint8Array,
  cache: CacheRule = 'revalidate',
  extension = extname(path),
): ServedFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { path, contentType: CONTENT_TYPES[extension] as string, bytes, cache }
}

/** Those files of a folder, by name, that have one of the extensions. */
export function readFolder(dir: string, extensions: readonly string[]): Map<string, Uint8Array> {
  const isWanted = (entry: Dirent) => entry.isFile() && extensions.includes(extname(entry.name))
  const names = readdirSync(dir, { withFileTypes: true }).filter(isWanted)
  return new Map(names.map(({ name }) => [name, readFileSync(join(dir, name))]))
}

export const fileRoutes = (files: readonly ServedFile[]): Route[] =>
  files.map((file) => {
    const { path, contentType } = file
    const representation = contentType.startsWith('text/html') ? 'page' : 'data'
    return { method: 'GET', path, representation, handle: fileHandler(file) }
  })

/** Text is compressed when it is first asked for so, and kept: most files never are. */
function fileHandler({ contentType, bytes, cache }: ServedFile): Route['handle'] {
  const headers = contentHeaders(contentType, cache)
  const body = isText(contentType) ? Buffer.from(bytes).toString() : bytes
  const tag = etagOf(bytes)
  if (!isText(contentType) || bytes.length <= WORTH_COMPRESSING_BYTES)
    return (call) => answerTagged(call, headers, tag, body)
  const compressor = new Compressor()
  const kept = new Map<Encoding, Promise<Uint8Array>>()
  return async (call) => {
    const encoding = chooseEncoding(call.header('accept-encoding'), ['br', 'gzip'])
    const all = [...headers, ...encodingHeaders(encoding)]
    if (encoding === undefined) return answerTagged(call, all, tag, body)
    const answer = answerTagged(call, all, encodedEtag(tag, encoding), null)
    if (answer.status !== 200) return answer
    const compressed = kept.get(encoding) ?? compressor.compress(encoding, bytes)
    kept.set(encoding, compressed)
    return { ...answer, body: await compressed }
  }
}

const isText = (contentType: string): boolean => /^text\/|json|svg/.test(contentType)
