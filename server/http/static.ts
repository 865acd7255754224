// Serves what is the same for every visitor: static files, and pages that are rendered once. The list is fixed at startup
// and each file is a route of its own, so that no file path is ever built from a request.
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { sha256Of } from '../../archive/format/hash.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { contentHeaders, ReadyText, TEXT_TYPES } from './answer.ts'
import type { Call } from './call.ts'
import type { Handler, Route } from './mount.ts'

/** Loads a file's content; anything that it throws becomes an internal error. */
type LoadContent = () => Promise<string | Uint8Array> | string | Uint8Array

/** Content that does not change while the service runs. */
interface Fixed {
  contentType: string
  /** Called by the first request, and not again once it has succeeded. */
  load: LoadContent
  /** `immutable` only if the path contains a hash of the content. */
  cache: CachePolicy
}

export interface ServedFile extends Fixed {
  /** The URL path, such as /static/days.css */
  path: string
}

/** By extension; files with other extensions are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': TEXT_TYPES.json,
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': TEXT_TYPES.svg,
  '.tgz': 'application/gzip',
  '.txt': TEXT_TYPES.text,
  '.wav': 'audio/wav',
  '.woff2': 'font/woff2',
}

/** Describes a file to serve, with the content type of its path's extension. */
export function servedFile(
  path: string,
  content: string | Uint8Array | LoadContent,
  cache: CachePolicy = 'revalidate',
): ServedFile {
  const load = typeof content === 'function' ? content : () => content
  return { path, contentType: CONTENT_TYPES[extname(path)] as string, load, cache }
}

/** Describes a file whose URL path contains a hash of its content, so that clients can cache it for good. */
export function hashedFile(name: string, content: string | Uint8Array): ServedFile {
  const version = sha256Of(content).slice(0, 16)
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

export function namesIn(dir: string, extensions: readonly string[]): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map(({ name }) => name)
}

export const fileRoutes = (files: readonly ServedFile[]): Route[] =>
  files.map((file) => ({
    method: 'GET',
    path: file.path,
    representation: 'data',
    handle: loadedOnce(file),
  }))

/**
 * Returns the handler of a page that is rendered at its first request, once for each `isClosed`.
 * @param isClosed returns whether publishing messages is currently off
 */
export function renderedOnce(
  render: (site: { isClosed: boolean }) => Promise<string> | string,
  isClosed: () => Promise<boolean>,
): Handler {
  const page = (site: { isClosed: boolean }) =>
    loadedOnce({ contentType: TEXT_TYPES.html, load: () => render(site), cache: 'revalidate' })
  const [whileOpen, whileClosed] = [page({ isClosed: false }), page({ isClosed: true })]
  return async (call) => ((await isClosed()) ? whileClosed : whileOpen)(call)
}

/** Loads the content at the first request; a failed load is retried by the next request. */
export function loadedOnce({ contentType, load, cache }: Fixed) {
  const headers = contentHeaders(contentType, cache)
  let ready: ReadyText | undefined
  return async (call: Call) => {
    ready ??= new ReadyText(await load(), headers, isText(contentType) ? ['br', 'gzip'] : [])
    return ready.answer(call)
  }
}

const isText = (contentType: string): boolean => /^text\/|json|svg/.test(contentType)
