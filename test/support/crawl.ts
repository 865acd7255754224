// Requests the public addresses of a service: those of its records and lists, and whatever their pages, feeds and JSON name.
import { sha256Of } from '../../archive/format/hash.ts'

/** Which records exist, so that hidden and missing ones are asked for, too. */
export interface Extent {
  /** The last ids. */
  messages: number
  investigations: number
  /** Archived days. */
  days: readonly string[]
  directories: readonly string[]
}

interface CrawlOptions {
  /** BASE_URL of the service, which its feeds and commands name instead of its address. */
  baseUrl?: string
  /** Addresses that are not asked for. */
  except?: RegExp
}

/** Header fields that depend on the connection or on the time of the answer. */
export const NOT_COMPARED = /^(?:date|connection|keep-alive|transfer-encoding|last-modified)$/
const AT_A_TIME = 4
/** Bodies up to this size are kept, so that a difference can be read; of others, the hash [bytes]. */
const KEPT_BYTES = 200_000

/** @returns the answer to each request: its status, its header fields and its body */
export async function crawl(
  url: string,
  extent: Extent,
  { baseUrl = url, except = /^$/ }: CrawlOptions = {},
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const seen = new Set<string>()
  const waiting: string[] = []
  const add = (path: string) => {
    if (seen.has(path) || except.test(path)) return
    seen.add(path)
    waiting.push(path)
  }
  for (const path of addressesOf(extent)) add(path)
  const worker = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      for (const accept of ['text/html', 'application/json']) {
        const { text, type, answer } = await ask(url + path, accept)
        answers.set(`${accept} ${path}`, answer)
        for (const named of addressesIn(text, [baseUrl, url])) add(named)
        // Only pages are negotiated.
        if (!type.startsWith('text/html')) break
      }
  }
  while (waiting.length > 0) await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return answers
}

async function ask(url: string, accept: string) {
  const response = await fetch(url, { headers: { accept }, redirect: 'manual' })
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type') ?? ''
  const isText = /^(?:text|application\/(?:[a-z]+\+|x-nd)?(?:xml|json)|image\/svg)/.test(type)
  const fields = [...response.headers]
    .filter(([name]) => !NOT_COMPARED.test(name))
    .map(([name, value]) => `${name}: ${value}`)
  const isKept = isText && bytes.length <= KEPT_BYTES
  const body = isKept ? bytes.toString() : sha256Of(bytes)
  const answer = [response.status, ...fields, '', body].join('\n')
  return { text: isText ? bytes.toString() : '', type, answer }
}

/** The addresses in HTML, XML and JSON, without fragments. */
function* addressesIn(text: string, bases: readonly string[]): Generator<string> {
  for (const [, quoted = ''] of text.matchAll(
    /(?:(?:href|src|action|url|poster)=|: ?)"([^"\s]+)"/g,
  )) {
    const named = quoted.replaceAll('&amp;', '&').replace(/#.*$/, '')
    const base = bases.find((one) => named.startsWith(`${one}/`))
    const path = base === undefined ? named : named.slice(base.length)
    if (/^\/(?!\/)/.test(path)) yield path
  }
}

const LISTS = [
  '/',
  '/directories',
  '/investigations',
  '/continuity',
  '/moderation',
  '/feed.atom',
  '/transmissions',
  '/transmissions/index.json',
  '/transmissions/index.csv',
  '/transmissions/log',
  '/transmissions/checkpoint',
  '/transmissions/key',
  '/transmissions/SHA256SUMS',
  '/api/v1/directories?limit=100',
  '/api/v1/messages?limit=100',
  '/api/v1/messages?limit=7&after=5',
  '/api/v1/messages?newest=3',
  '/api/v1/investigations?limit=100',
  '/api/v1/moderation?limit=100',
  '/api/v1/moderation?limit=2&after=1',
  '/api/v1/search?q=mark&limit=100',
  '/api/v1/search?q=kind:observation&limit=100',
  '/search?q=%22ends%22+kind:message',
]

/** The addresses of the records, and of two more messages and investigations than there are. */
function addressesOf({ messages, investigations, days, directories }: Extent): string[] {
  const upTo = (last: number) => Array.from({ length: last + 3 }, (_, id) => id)
  return [
    ...LISTS,
    ...upTo(messages).flatMap((id) => [
      ...['', '.json', '.txt', '.receipt'].map((end) => `/messages/${id}${end}`),
      `/moderation?message=${id}`,
      `/write?answers=${id}`,
    ]),
    ...upTo(investigations).flatMap((id) => [
      ...['', '.json', '.atom', '.json?after=9&limit=3'].map(
        (end) => `/investigations/${id}${end}`,
      ),
      `/api/v1/investigations/${id}?limit=5`,
    ]),
    ...[...directories, 'system', 'system/hidden'].flatMap((path) => [
      `/d/${path}`,
      `/api/v1/messages?directory=${path}`,
      `/feed.atom?directory=${path}`,
    ]),
    ...days.flatMap((day) => [
      `/api/v1/days/${day}/records`,
      ...['', '.json', '.manifest.json', '.sha256', '.leaves', '.chord.svg'].map(
        (end) => `/transmissions/${day}${end}`,
      ),
      `/transmissions/${day}/records`,
    ]),
  ]
}

/** The requests whose answers differ, each with a different line. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const all = new Set([...before.keys(), ...after.keys()])
  return [...all]
    .filter((request) => before.get(request) !== after.get(request))
    .map((request) => {
      const [a, b] = [before, after].map((answers) => (answers.get(request) ?? '').split('\n'))
      const differs = (line: string, i: number) => line !== b?.[i]
      const at = a?.findLastIndex(differs) ?? 0
      return `${request}\n- ${a?.at(at)}\n+ ${b?.[at]}`
    })
}
