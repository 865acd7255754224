// The archive of transmissions in the OpenAPI document.
import { archivePageSchema } from '../../archive/format/listing.ts'
import { manifestSchema } from '../../archive/format/manifest.ts'
import {
  ARCHIVE_URL,
  DECODER_URL,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  LATEST_URL,
  MEDIA_NAME_PATTERN,
  manifestUrl,
  mediaUrl,
  PROTOCOL_URL,
  snapshotUrl,
} from '../../archive/format/paths.ts'
import { snapshotSchema } from '../../archive/format/snapshot.ts'
import {
  type AnswerDescription,
  ifNoneMatch,
  jsonRead,
  limit,
  NOT_MODIFIED,
  negotiatedRead,
  type OperationDescription,
  type Parameter,
  READ_ERRORS,
} from './operation.ts'

const dayInPath: Parameter = {
  name: 'day',
  in: 'path',
  required: true,
  description: 'An archived day.',
  schema: { type: 'string', format: 'date' },
}
const before: Parameter = {
  name: 'before',
  in: 'query',
  description: 'Only days before this one, which is not included. Without it, from the newest.',
  schema: { type: 'string', format: 'date' },
}
const filename: Parameter = {
  name: 'filename',
  in: 'path',
  required: true,
  description: "The file's SHA-256 and kind.",
  schema: { type: 'string', pattern: MEDIA_NAME_PATTERN },
}
const inHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

const ARCHIVE_ERRORS = [...READ_ERRORS, 'archive_unavailable'] as const
const LIST_ERRORS = [...ARCHIVE_ERRORS, 'invalid_day', 'invalid_limit'] as const
const DAY_ERRORS = [...ARCHIVE_ERRORS, 'snapshot_not_found'] as const
const listParameters = [before, limit(30), ifNoneMatch]

const lists: OperationDescription[] = [
  {
    id: 'showTransmissions',
    method: 'get',
    path: ARCHIVE_URL,
    tag: 'Transmissions',
    summary: 'The archive, newest day first, as a page or as JSON',
    parameters: listParameters,
    answers: negotiatedRead(archivePageSchema, 'A page of days.', true),
    errors: LIST_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'listTransmissions',
    method: 'get',
    path: INDEX_JSON_URL,
    tag: 'Transmissions',
    summary: 'The archive, newest day first',
    parameters: listParameters,
    answers: jsonRead(archivePageSchema, 'A page; go on with `before` set to next_before.'),
    errors: LIST_ERRORS,
  },
  {
    id: 'listTransmissionsCsv',
    method: 'get',
    path: INDEX_CSV_URL,
    tag: 'Transmissions',
    summary: 'The archive as CSV, newest day first',
    description: 'RFC 4180 with a header row; an empty count means unavailable.',
    parameters: listParameters,
    answers: {
      200: {
        description: 'A page; Link names the next one.',
        headers: ['ETag', 'Cache-Control'],
        optionalHeaders: ['Link'],
        content: { 'text/csv': null },
      },
      304: { ...NOT_MODIFIED, optionalHeaders: ['Link'] },
    },
    errors: LIST_ERRORS,
  },
]

const days: OperationDescription[] = [
  {
    id: 'readLatestTransmission',
    method: 'get',
    path: LATEST_URL,
    tag: 'Transmissions',
    summary: 'The newest snapshot',
    parameters: [ifNoneMatch],
    answers: jsonRead(snapshotSchema, 'The snapshot; `day` says which day it is of.'),
    errors: DAY_ERRORS,
  },
  {
    id: 'showTransmission',
    method: 'get',
    path: dayUrl('{day}'),
    tag: 'Transmissions',
    summary: 'One day, as a page or as its snapshot',
    parameters: [dayInPath, ifNoneMatch],
    answers: negotiatedRead(snapshotSchema, 'The day.', true),
    errors: DAY_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'readTransmission',
    method: 'get',
    path: snapshotUrl('{day}'),
    tag: 'Transmissions',
    summary: "A day's snapshot",
    parameters: [dayInPath, ifNoneMatch],
    answers: jsonRead(snapshotSchema, 'The snapshot, byte for byte as archived.'),
    errors: DAY_ERRORS,
  },
  {
    id: 'readTransmissionManifest',
    method: 'get',
    path: manifestUrl('{day}'),
    tag: 'Transmissions',
    summary: "A day's snapshot, files and hashes",
    parameters: [dayInPath, ifNoneMatch],
    answers: jsonRead(manifestSchema, 'The manifest, byte for byte as archived.'),
    errors: DAY_ERRORS,
  },
]

const ANY_MEDIUM = { 'audio/wav': null, 'video/mp4': null, 'image/png': null }
const mediumHeaders = ['ETag', 'Cache-Control', 'Accept-Ranges', 'Repr-Digest'] as const

const mediumAnswers: Record<number, AnswerDescription> = {
  200: { description: 'The whole file.', headers: mediumHeaders, content: ANY_MEDIUM },
  206: {
    description: 'The range that was asked for.',
    headers: [...mediumHeaders, 'Content-Range'],
    content: ANY_MEDIUM,
  },
  304: { ...NOT_MODIFIED, headers: mediumHeaders },
}

const files: OperationDescription[] = [
  {
    id: 'readTransmissionMedia',
    method: 'get',
    path: mediaUrl('{day}', '{filename}'),
    tag: 'Transmissions',
    summary: 'A sound, picture or video of a day',
    description: 'These bytes never change. Several ranges, or a malformed one, answer 200.',
    parameters: [
      dayInPath,
      filename,
      inHeader('Range', 'One byte range: a-b, a- or -n.'),
      inHeader('If-Range', 'The ETag under which the range is wanted.'),
      inHeader('If-Match', 'The ETag without which the file is not wanted; 412 otherwise.'),
      ifNoneMatch,
    ],
    answers: mediumAnswers,
    errors: [
      ...ARCHIVE_ERRORS,
      'media_not_found',
      'precondition_failed',
      'range_not_satisfiable',
      'overloaded',
    ],
  },
]

/** A page that is the same for everybody. */
const fixedPage = (id: string, path: string, summary: string): OperationDescription => ({
  id,
  method: 'get',
  path,
  tag: 'Transmissions',
  summary,
  parameters: [ifNoneMatch],
  answers: {
    200: {
      description: 'The page.',
      headers: ['ETag', 'Cache-Control'],
      content: { 'text/html': null },
    },
    304: NOT_MODIFIED,
  },
  errors: ['invalid_request', 'internal_error'],
  errorPages: 'always',
})

export const TRANSMISSION_OPERATIONS: readonly OperationDescription[] = [
  ...lists,
  ...days,
  ...files,
  fixedPage('showProtocol', PROTOCOL_URL, 'The signal protocol'),
  fixedPage('showDecoder', DECODER_URL, 'The decoder that runs in a browser'),
]
