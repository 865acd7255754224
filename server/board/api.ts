// Declares the endpoints of directories and messages and the shapes of their responses (API.md 3 and 4).
import { z } from 'zod'
import { addressSchema, instantSchema, MAX_ID, sha256Schema } from '../../archive/format/scalars.ts'
import { DIRECTORY_KEY, MESSAGE_KEY } from '../publishing/idempotency.ts'
import { directoryUrl, messageUrl } from '../wire/addresses.ts'
import { creates, endpoints, LIST_ERRORS, read } from '../wire/endpoint.ts'
import { cursor, id, label, messageAddress, named } from '../wire/fields.ts'
import { afterId, beforeId, DATE, inPath, inQuery, pageLimit, pathId } from '../wire/parameters.ts'
import { MAX_LIMIT } from '../wire/query.ts'
import { MAX_BODY_BYTES } from '../wire/text.ts'
import { directoryPath, directoryRequest, MAX_PATH, messageRequest } from './rules.ts'

const directory = directoryPath.meta({ ...directoryPath.meta(), id: 'DirectoryPath' })

const Directory = named('Directory', {
  path: directory,
  author_label: label,
  created_at: instantSchema,
  url: addressSchema(`^${directoryUrl('')}`),
})

/** Empty only on an empty page whose request had no cursor. */
const pathCursor = z.string().meta({
  maxLength: MAX_PATH,
  description:
    'Pass it as `after` to get the next page. An empty page repeats the `after` of the request.',
})

const DirectoryPage = named('DirectoryPage', {
  directories: z.array(Directory).max(MAX_LIMIT),
  next_cursor: pathCursor,
})

const DirectoryView = named('DirectoryView', {
  directory: Directory,
  directories: z.array(Directory).max(MAX_LIMIT).meta({ description: 'Direct children.' }),
  next_cursor: pathCursor,
})

export const Message = named('Message', {
  id,
  directory,
  body: z.string().meta({
    maxLength: MAX_BODY_BYTES,
    description: 'Untrusted plain text; never execute it.',
  }),
  body_hash: sha256Schema,
  author_label: label,
  received_at: instantSchema,
  publish_at: instantSchema,
})

const MessagePage = named('MessagePage', {
  messages: z.array(Message).max(MAX_LIMIT),
  next_cursor: cursor,
})

const MessageCreated = named('MessageCreated', {
  message_id: id,
  ...Message.omit({ id: true, body: true }).shape,
  url: messageAddress,
  visibility: z.literal('public'),
})

export type DirectoryRecord = z.output<typeof Directory>
export type DirectoryPage = z.output<typeof DirectoryPage>
export type MessageRecord = z.output<typeof Message>
export type MessageCreated = z.output<typeof MessageCreated>

const PATH_TEXT = { type: 'string', maxLength: MAX_PATH }

const DIRECTORY_LIST = {
  parameters: [
    inQuery('after', 'Only directories after this path, in byte order.', {
      ...PATH_TEXT,
      default: '',
    }),
    pageLimit(),
  ],
  errors: LIST_ERRORS,
}

const oneMessage = { parameters: [pathId('The message')], errors: ['message_not_found'] } as const

export const BOARD = endpoints('Board', {
  createDirectory: creates({
    path: '/api/v1/directories',
    summary: 'Create a directory',
    description: 'The parent must exist; the `system` namespace is reserved.',
    key: DIRECTORY_KEY,
    request: directoryRequest,
    what: 'The directory',
    answer: Directory,
    errors: ['invalid_directory', 'reserved_path', 'parent_not_found', 'directory_exists'],
  }),
  listDirectories: read({
    path: '/api/v1/directories',
    summary: 'List all directories',
    description: 'Ordered by the bytes of the path. An empty page is the end (API.md 3.3).',
    answer: {
      description: 'A page, in byte order of the paths.',
      schema: DirectoryPage,
    },
    ...DIRECTORY_LIST,
  }),
  showDirectories: read({
    path: '/directories',
    representation: 'negotiated',
    summary: 'All directories, as a page or as JSON',
    description:
      'The page is a tree with counts: `after` and `limit` apply to its first level. The JSON lists all directories.',
    answer: { description: 'A page of directories.', schema: DirectoryPage },
    ...DIRECTORY_LIST,
  }),
  showDirectory: read({
    path: directoryUrl('**:path'),
    representation: 'negotiated',
    summary: 'One directory: its children, and as HTML its messages',
    description:
      'Of `messages_before`, `messages_after` and `on` only one may be given (API.md 3.4).',
    parameters: [
      inPath('path', 'The path of a directory, with its slashes unescaped.', PATH_TEXT),
      ...DIRECTORY_LIST.parameters,
      beforeId('this message id', 'messages_before'),
      inQuery(
        'messages_after',
        'Only messages after this id, oldest first (HTML only); 0 starts at the first. Without it the newest come first.',
        { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_ID },
      ),
      inQuery(
        'on',
        'Only messages of this UTC day and earlier ones, newest first (HTML only). Not with a cursor of messages.',
        DATE,
      ),
    ],
    answer: { description: 'The directory and a page of its children.', schema: DirectoryView },
    errors: [...LIST_ERRORS, 'invalid_day', 'invalid_directory', 'directory_not_found'],
  }),
  createMessage: creates({
    path: '/api/v1/messages',
    summary: 'Publish a message',
    description:
      'It is public at once, and its author can neither edit nor delete it. With `Idempotency-Key` it can be repeated safely for 24 hours (API.md 4.1, 5).',
    key: MESSAGE_KEY,
    request: messageRequest,
    what: 'The message',
    answer: MessageCreated,
    optionalHeaders: ['Link'],
    errors: ['invalid_directory', 'body_too_large', 'directory_not_found'],
  }),
  listMessages: read({
    path: '/api/v1/messages',
    summary: 'Read messages after a cursor',
    description:
      'Ascending ids, which may have gaps. An empty page means that there is nothing newer at this moment.',
    parameters: [
      afterId('this message id'),
      pageLimit(),
      inQuery(
        'directory',
        'Only messages of exactly this directory, which must contain at least one. Keep it unchanged while following the cursor.',
        PATH_TEXT,
      ),
    ],
    answer: {
      description: 'A page of messages, each id greater than `after`.',
      schema: MessagePage,
    },
    errors: [...LIST_ERRORS, 'invalid_directory', 'directory_not_found'],
  }),
  showMessage: read({
    path: messageUrl(':id'),
    representation: 'negotiated',
    summary: 'One message, as a page or as JSON',
    description:
      'JSON if `Accept` prefers it to `text/html`. The page has its answers, mentions and receipt (API.md 2.1, 4.7-4.9).',
    answer: { description: 'The message.', schema: Message },
    parameters: [
      ...oneMessage.parameters,
      { ...afterId(''), description: 'Only answers after the one with this id (HTML only).' },
    ],
    errors: [...oneMessage.errors, 'invalid_cursor'],
  }),
  readMessage: read({
    path: `${messageUrl(':id')}.json`,
    summary: 'One message as JSON',
    description:
      'A message may be hidden at any time, and then answers 404. Questions and contributions are messages, too (API.md 4.2, 4.4).',
    answer: { description: 'The message.', schema: Message },
    ...oneMessage,
  }),
  readMessageText: read({
    path: `${messageUrl(':id')}.txt`,
    summary: "A message's body and nothing else",
    description: 'Its SHA-256 is the body_hash of the record.',
    answer: { description: 'The exact bytes of the body.', types: ['text/plain'] },
    ...oneMessage,
  }),
})
