// Serves static files. The list is fixed at startup and each file is a route of its own, so that no file path is ever
// built from a request.
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { CachePolicy } from '../wire/endpoint.ts'
import { answerTagged, contentHeaders, etagOf, TEXT_TYPES } from './answer.ts'
import type { Route } from './mount.ts'
import { ReadyText } from './ready-text.ts'

/** Loads a file's content; anything that it throws becomes an internal error. */
type LoadContent = () => Promise<string | Uint8Array> | string | Uint8Array

export interface ServedFile {
  /** The URL path, such as /static/days.css */
  path: string
  contentType: string
  /** Called by the first request, and not again once it has succeeded. */
  load: LoadContent
  /** `immutable` only if the path contains a hash of the content. */
  cache: CachePolicy
}

/** By extension; files with other extensions are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.html': TEXT_TYPES.html,
  '.js': 'text/javascript; charset=utf-8',
  '.json': TEXT_TYPES.json,
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': TEXT_TYPES.svg,
  '.txt': TEXT_TYPES.text,
  '.wav': 'audio/wav',
  '.woff2': 'font/woff2',
}

/** Describes a file to serve, with the content type of its path's extension or the given one. */
export function servedFile(
  path: string,
  content: string | Uint8Array | LoadContent,
  cache: CachePolicy = 'revalidate',
  extension = extname(path),
): ServedFile {
  const load = typeof content === 'function' ? content : () => content
  return { path, contentType: CONTENT_TYPES[extension] as string, load, cache }
}

/** Describes a file whose URL path contains a hash of its content, so that clients can cache it for good. */
export function hashedFile(name: string, content: string | Uint8Array): ServedFile {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return servedFile(`/static/${version}/${name}`, content, 'immutable')
}

/** The files of a folder that have one of the extensions, below a common URL path. */
export const servedFolder = (
  url: string,
  dir: string,
  extensions: readonly string[],
): ServedFile[] =>
  namesIn(dir, extensions).map((name) =>
    servedFile(`${url}/${name}`, () => readFile(join(dir, name))),
  )

/** The names of the files of a folder that have one of the extensions. */
export function namesIn(dir: string, extensions: readonly string[]): string[] {
  const isWanted = (entry: Dirent) => entry.isFile() && extensions.includes(extname(entry.name))
  return readdirSync(dir, { withFileTypes: true })
    .filter(isWanted)
    .map(({ name }) => name)
}

/** Returns a route for each file. */
export const fileRoutes = (files: readonly ServedFile[]): Route[] =>
  files.map((file) => {
    const { path, contentType } = file
    const representation = contentType.startsWith('text/html') ? 'page' : 'data'
    return { method: 'GET', path, representation, handle: fileHandler(file) }
  })

/** Loads the content at the first request; a failed load is retried by the next request. */
function fileHandler({ contentType, load, cache }: ServedFile): Route['handle'] {
  const headers = contentHeaders(contentType, cache)
  let ready: Route['handle'] | undefined
  return (call) => {
    if (ready) return ready(call)
    return Promise.resolve(load()).then((content) => {
      if (isText(contentType)) {
        const text = new ReadyText(content, headers, ['br', 'gzip'])
        ready ??= (call) => text.answer(call)
      } else ready ??= bytesHandler(content, headers)
      return ready(call)
    })
  }
}

function bytesHandler(content: string | Uint8Array, headers: readonly string[]): Route['handle'] {
  const tag = etagOf(content)
  return (call) => answerTagged(call, headers, tag, content)
}

const isText = (contentType: string): boolean => /^text\/|json|svg/.test(contentType)
