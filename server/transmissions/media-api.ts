// Declares the endpoint of the media files (API.md 9.5).
import { MEDIA, MEDIA_KINDS } from '../../archive/format/media.ts'
import { MEDIA_NAME_PATTERN, mediaUrl } from '../../archive/format/paths.ts'
import { type Declaration, type HeaderName, NOT_MODIFIED } from '../wire/endpoint.ts'
import type { Parameter } from '../wire/parameters.ts'
import { archiveRead, dayInPath } from './archive-read.ts'

const filename: Parameter = {
  name: 'filename',
  in: 'path',
  required: true,
  description: "The file's SHA-256 and kind.",
  schema: { type: 'string', pattern: MEDIA_NAME_PATTERN },
}
const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

/** Declares the read of a media file, in full or one byte range of it. */
export function mediaRead(): Declaration {
  const headers: HeaderName[] = ['ETag', 'Cache-Control', 'Accept-Ranges', 'Repr-Digest']
  const content = Object.fromEntries(MEDIA_KINDS.map((kind) => [MEDIA[kind].contentType, null]))
  return {
    ...archiveRead({
      path: mediaUrl(':day', ':filename'),
      representation: 'data',
      cache: 'immutable',
      summary: 'The sound, picture or film of a day',
      description:
        'These bytes never change. Several ranges, or a malformed one, return the whole file with 200.',
      parameters: [
        dayInPath,
        filename,
        headerParameter('Range', 'One byte range: a-b, a- or -n.'),
        headerParameter('If-Range', 'Range applies only if the ETag is this one.'),
        headerParameter('If-Match', 'The ETag that the file must have; 412 otherwise.'),
      ],
      answer: { description: 'The whole file.' },
      errors: ['media_not_found', 'range_not_satisfiable', 'overloaded'],
    }),
    answers: {
      200: { description: 'The whole file.', headers, content },
      206: {
        description: 'The requested range.',
        headers: [...headers, 'Content-Range'],
        content,
      },
      304: { description: NOT_MODIFIED, headers },
    },
  }
}
