// Parses a page of a ListObjectsV2 response, reading only the XML tags that are used. Pure.

export interface ListedObject {
  key: string
  bytes: number
  etag: string
  /** [ms since 1970] */
  modifiedAt: number
}

export interface ListPage {
  objects: ListedObject[]
  /** The common prefixes of keys up to the delimiter, if the request named one. */
  prefixes: string[]
  /** The continuation token of the next page; null on the last page. */
  next: string | null
}

export function parseListPage(xml: string): ListPage {
  return {
    objects: elements(xml, 'Contents').map((object) => ({
      key: text(object, 'Key'),
      bytes: Number(text(object, 'Size')),
      etag: text(object, 'ETag'),
      modifiedAt: Date.parse(text(object, 'LastModified')),
    })),
    prefixes: elements(xml, 'CommonPrefixes').map((prefix) => text(prefix, 'Prefix')),
    next: text(xml, 'NextContinuationToken') || null,
  }
}

function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
    ([, inner = '']) => inner,
  )
}

function text(xml: string, name: string): string {
  return unescaped(elements(xml, name)[0] ?? '')
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(xml: string): string {
  return xml.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}
