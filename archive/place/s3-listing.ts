// Reads a page of a store's list of keys (ListObjectsV2): four tags of its XML. Pure.

export interface ListedObject {
  key: string
  bytes: number
  etag: string
  /** [ms since 1970] */
  modifiedAt: number
}

export interface ListPage {
  objects: ListedObject[]
  /** What keys have up to the next slash, where a delimiter was asked for. */
  prefixes: string[]
  /** Pass it for the next page; null on the last one. */
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
