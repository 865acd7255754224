// The response header fields that openapi.json describes, as OpenAPI header objects.

const text = (description: string, pattern?: string) => ({
  description,
  required: true,
  schema: { type: 'string', ...(pattern && { pattern }) },
})

export const HEADERS = {
  Location: text('The address of the record.', '^/'),
  'Cache-Control': text('no-store, no-cache, or immutable for files that are named by their hash.'),
  ETag: text('Strong; changes with the bytes of the response.', '^"[^"]+"$'),
  Vary: text('The request fields that the response depends on: Accept, Accept-Encoding.'),
  'Content-Encoding': text(
    'How the body is compressed, if the client accepts it.',
    '^(?:br|gzip)$',
  ),
  Link: text('The next page, or the receipt of a message (RFC 8288).', 'rel="(next|receipt)"'),
  Allow: text('The methods of this address.'),
  'Retry-After': {
    description: 'Whole seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: text(
    'What is left in each window and the seconds to its end (draft-ietf-httpapi-ratelimit-headers).',
  ),
  'RateLimit-Policy': text('The quota and the length in seconds of each window.'),
  'Accept-Ranges': text('Single byte ranges are supported.', '^bytes$'),
  'Content-Range': text('The range of these bytes and the length of the file.', '^bytes '),
  'Repr-Digest': text('SHA-256 of the whole file (RFC 9530).', '^sha-256=:'),
  'Cross-Origin-Resource-Policy': text('Pages of all origins may embed it.', '^cross-origin$'),
}

export type HeaderName = keyof typeof HEADERS

/** Returns the `headers` of a response, of which some are required and some optional. */
export function headerObjects(always: readonly HeaderName[], sometimes: readonly HeaderName[]) {
  return Object.fromEntries([
    ...always.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...sometimes.map((name) => [name, { ...HEADERS[name], required: false }]),
  ])
}
