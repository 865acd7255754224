// Declares the endpoints of the transmissions archive (API.md 9).
import { archivePageSchema } from '../../archive/format/listing.ts'
import { manifestSchema } from '../../archive/format/manifest.ts'
import { MEDIA, MEDIA_KINDS } from '../../archive/format/media.ts'
import { mirrorSchema } from '../../archive/format/mirror.ts'
import {
  ARCHIVE_FEED_URL,
  ARCHIVE_URL,
  CHECKPOINT_URL,
  chordUrl,
  dayRecordsUrl,
  daySumsUrl,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  KEY_URL,
  LATEST_DAY_URL,
  LATEST_STRIP_URL,
  LATEST_URL,
  LOG_URL,
  leavesUrl,
  MEDIA_NAME_PATTERN,
  MIRROR_URL,
  manifestUrl,
  mediaUrl,
  PODCAST_URL,
  receiptUrl,
  recordsUrl,
  SUMS_URL,
  snapshotUrl,
} from '../../archive/format/paths.ts'
import { snapshotSchema } from '../../archive/format/snapshot.ts'
import { CURSOR, SECTIONS } from '../sections/rules.ts'
import { type Declaration, endpoints, NOT_MODIFIED, read } from '../wire/endpoint.ts'
import type { HeaderName } from '../wire/headers.ts'
import { DATE, inHeader, inPath, inQuery, pageLimit, pathId } from '../wire/parameters.ts'
import { DAYS_SHOWN } from './rules.ts'

const before = inQuery(
  'before',
  'Only days before this one (exclusive). Without it, the list starts at the newest day.',
  DATE,
)

const dayInPath = inPath('day', 'An archived day.', DATE)

const list = {
  parameters: [before, pageLimit(DAYS_SHOWN)],
  errors: ['invalid_day', 'invalid_limit'],
} as const

const oneDay = { parameters: [dayInPath], errors: ['snapshot_not_found'] } as const

const filename = inPath('filename', "The file's SHA-256 and kind.", {
  type: 'string',
  pattern: MEDIA_NAME_PATTERN,
})

const section = inQuery('section', 'Only this section, paged. By default, the beginning of each.', {
  type: 'string',
  enum: SECTIONS,
})

export const TRANSMISSIONS = endpoints('Transmissions', {
  showTransmissions: archiveRead({
    path: ARCHIVE_URL,
    representation: 'negotiated',
    summary: 'The archive, newest day first, as HTML or JSON',
    description: 'A day whose manifest is damaged is left out (API.md 9.2).',
    answer: { description: 'A page of days.', schema: archivePageSchema },
    ...list,
  }),
  listTransmissions: archiveRead({
    path: INDEX_JSON_URL,
    summary: 'The archive, newest day first',
    description:
      'A sealed day never changes, except that a film which was missing can be added. An empty archive has an empty list (API.md 9.2, 9.4).',
    answer: {
      description: 'A page of days; for the next page, set `before` to next_before.',
      schema: archivePageSchema,
    },
    ...list,
  }),
  listTransmissionsCsv: archiveRead({
    path: INDEX_CSV_URL,
    summary: 'The archive as CSV, newest day first',
    description: 'RFC 4180 with a header row; an empty count means unavailable.',
    answer: {
      description: 'A page of days; Link names the next page.',
      types: ['text/csv'],
      optionalHeaders: ['Link'],
    },
    ...list,
  }),
  readTransmissionFeed: archiveRead({
    path: ARCHIVE_FEED_URL,
    summary: 'The newest days as an Atom feed, with their media',
    description: 'At most 30. Ids are permanent if the service has a `BASE_URL` (API.md 2.8).',
    answer: { description: 'The feed, newest first.', types: ['application/atom+xml'] },
  }),
  readPodcast: archiveRead({
    path: PODCAST_URL,
    summary: 'The films of the newest days as a podcast',
    description:
      'Those of the newest 30 days that have a film, with the tags of Apple Podcasts (API.md 2.8).',
    answer: { description: 'RSS 2.0, newest first.', types: ['application/rss+xml'] },
  }),
  readLatestTransmission: archiveRead({
    path: LATEST_URL,
    summary: 'The newest snapshot',
    description:
      '404 while no day is archived. Revalidate it with `If-None-Match` (API.md 9.4, 9.6).',
    answer: { description: 'The snapshot; `day` is its date.', schema: snapshotSchema },
    errors: ['snapshot_not_found'],
  }),
  showLatestTransmission: {
    ...archiveRead({
      path: LATEST_DAY_URL,
      representation: 'negotiated',
      cache: 'no-store',
      summary: "Redirects to the newest day's page, or to the list if no day is archived",
      description: 'For links that stay; a program reads latest.json.',
      answer: { description: 'Never sent.' },
    }),
    answers: {
      302: { description: 'See Location.', headers: ['Location', 'Cache-Control', 'Vary'] },
    },
  },
  drawLatestTransmission: read({
    path: LATEST_STRIP_URL,
    summary: 'The tones of the newest day as a picture',
    description:
      'Only the sync tones, which all days share, while no day is archived or can be read.',
    answer: {
      description: 'Black marks on a transparent background.',
      types: ['image/svg+xml'],
    },
  }),
  showTransmission: archiveRead({
    path: dayUrl(':day'),
    representation: 'negotiated',
    summary: 'One day, as HTML or as its snapshot',
    description:
      'As HTML also the current day, with its counts so far, a month, such as 2026-11, and a year, such as 2026.',
    answer: { description: 'The day.', schema: snapshotSchema },
    ...oneDay,
  }),
  showRecords: archiveRead({
    path: dayRecordsUrl(':day'),
    summary: 'The records of a day or of today that are visible now, in sections',
    description:
      'They may be fewer than were counted when the day was sealed. A mirror has none (API.md 9.15).',
    parameters: [
      dayInPath,
      section,
      inQuery('after', 'Only records after this one: a cursor of the link to the next page.', {
        type: 'string',
        pattern: CURSOR.source,
      }),
    ],
    errors: ['snapshot_not_found', 'invalid_cursor'],
  }),
  readDayRecords: archiveRead({
    path: recordsUrl(':day'),
    summary: 'The records of a day that are visible now, one JSON object a line',
    description:
      'A line for the day, for each directory, message and review. A hidden message is only an id and a leaf.',
    parameters: [dayInPath],
    answer: { description: 'The lines.', types: ['application/x-ndjson'] },
    errors: ['snapshot_not_found', 'not_found'],
  }),
  drawChord: archiveRead({
    path: chordUrl(':day'),
    summary: "A day's chord, which other sites may embed",
    description:
      'It needs no script, font or style sheet. Days that differ in any column look different (API.md 9.17).',
    answer: {
      description: 'Eleven columns, for all counters but the bytes, readable from 24 pixels.',
      types: ['image/svg+xml'],
      headers: ['Cross-Origin-Resource-Policy'],
    },
    ...oneDay,
  }),
  readTransmission: archiveRead({
    path: snapshotUrl(':day'),
    cache: 'revalidate',
    summary: "A day's snapshot",
    description:
      'Every archive with the day has the same bytes. The 404 says when a day is due (API.md 9.4, 9.6).',
    answer: { description: 'The snapshot, byte for byte as archived.', schema: snapshotSchema },
    ...oneDay,
  }),
  readTransmissionManifest: archiveRead({
    path: manifestUrl(':day'),
    cache: 'revalidate',
    summary: "A day's manifest: its snapshot, files and hashes",
    description:
      'It changes only if a film that was missing is added, which the log of days records.',
    answer: { description: 'The manifest, byte for byte as archived.', schema: manifestSchema },
    ...oneDay,
  }),
  readTransmissionMedia: mediaRead(),
  readChecksums: archiveRead({
    path: SUMS_URL,
    summary: 'The hashes of all files, for sha256sum -c',
    description:
      'Up to a second old. A mirror names only the files that it has (API.md 9.7, 9.10).',
    answer: { description: 'One line for each file of each day.', types: ['text/plain'] },
  }),
  readDayChecksums: archiveRead({
    path: daySumsUrl(':day'),
    summary: "The hashes of a day's files, for sha256sum -c",
    description: 'A mirror names only the files that it has (API.md 9.10).',
    answer: { description: 'One line for each file.', types: ['text/plain'] },
    ...oneDay,
  }),
  readLog: logRead(
    LOG_URL,
    'The log of days, one line for each sealed manifest',
    'It only grows: a later one begins with the bytes of an earlier one (FORMAT.md 15).',
  ),
  readCheckpoint: logRead(
    CHECKPOINT_URL,
    'The newest signed checkpoint of the log',
    'Keep one: a log that does not continue it has changed its past (FORMAT.md 16).',
  ),
  readKeys: logRead(
    KEY_URL,
    'The public keys that sign the log, newest first',
    'Before there is a log, those that sign receipts. Trust a key that you have from elsewhere (API.md 9.8).',
  ),
  readDayLeaves: archiveRead({
    path: leavesUrl(':day'),
    summary: "The hashes of the leaves of a day's messages",
    description: 'One line for each message, ascending by id, hidden ones included.',
    answer: { description: 'The file, byte for byte.', types: ['text/plain'] },
    parameters: [dayInPath],
    errors: ['snapshot_not_found', 'not_found'],
  }),
  readMirror: archiveRead({
    path: MIRROR_URL,
    summary: "The mirror's source, and the days and media that it copies",
    description: 'Not found if this archive is not a mirror.',
    answer: { description: 'Source, days, media and trusted keys.', schema: mirrorSchema },
    errors: ['not_found'],
  }),
  readMessageReceipt: read({
    path: receiptUrl(':id'),
    summary: 'The signed promise that a message will be among the records of its day',
    description:
      'Keep it with the message: with it, anyone can show that the message was dropped or changed.',
    answer: { description: 'A signed note.', types: ['text/plain'] },
    parameters: [pathId('The message')],
    errors: ['message_not_found', 'receipt_not_available'],
  }),
})

/** Declares the read of a log file, which an archive has once its first day is logged. */
function logRead(path: string, summary: string, description: string): Declaration {
  const answer = { description: 'The file, byte for byte.', types: ['text/plain'] }
  const said = { summary, description, answer }
  return archiveRead({ path, ...said, errors: ['not_found'] })
}

/** Declares a read of the archive, which may be switched off, missing or damaged. */
function archiveRead({ errors = [], ...rest }: Parameters<typeof read>[0]): Declaration {
  return read({ ...rest, errors: ['archive_unavailable', ...errors] })
}

/** Declares the read of a media file, in full or one byte range of it (API.md 9.5). */
function mediaRead(): Declaration {
  const headers: HeaderName[] = ['ETag', 'Cache-Control', 'Accept-Ranges', 'Repr-Digest']
  const content = Object.fromEntries(MEDIA_KINDS.map((kind) => [MEDIA[kind].contentType, null]))
  return {
    ...archiveRead({
      path: mediaUrl(':day', ':filename'),
      cache: 'immutable',
      summary: 'The sound, picture or film of a day',
      description:
        'These bytes never change. Several ranges, or a malformed one, return the whole file with 200.',
      parameters: [
        dayInPath,
        filename,
        inHeader('Range', 'One byte range: a-b, a- or -n.'),
        inHeader('If-Range', 'Range applies only if the ETag is this one.'),
        inHeader('If-Match', 'The ETag that the file must have; 412 otherwise.'),
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
