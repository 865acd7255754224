// Directories and messages in the OpenAPI document.
import { z } from 'zod'
import { addressSchema, instantSchema, sha256Schema } from '../../archive/format/scalars.ts'
import { directoryPath, directoryRequest, messageRequest } from '../board/rules.ts'
import { MAX_BODY_BYTES } from '../wire/text.ts'
import {
  afterId,
  creates,
  idempotencyKey,
  ifNoneMatch,
  jsonRead,
  limit,
  NOT_MODIFIED,
  negotiatedRead,
  type OperationDescription,
  type Parameter,
  pathId,
  READ_ERRORS,
  WRITE_ERRORS,
} from './operation.ts'
import { cursor, id, label, messageUrl } from './scalars.ts'

const path = directoryPath.meta({ ...directoryPath.meta(), id: 'DirectoryPath' })

const DirectoryRequest = directoryRequest.meta({ id: 'DirectoryRequest' })
const MessageRequest = messageRequest.meta({ id: 'MessageRequest' })

const Directory = z
  .strictObject({
    path,
    author_label: label,
    created_at: instantSchema,
    url: addressSchema('^/d/'),
  })
  .meta({ id: 'Directory' })

/** `''` only where nothing was asked for and nothing is there. */
const pathCursor = z
  .string()
  .meta({ maxLength: 256, description: 'Pass it as `after` to go on; the input on an empty page.' })

const DirectoryPage = z
  .strictObject({ directories: z.array(Directory).max(100), next_cursor: pathCursor })
  .meta({ id: 'DirectoryPage' })

const DirectoryView = z
  .strictObject({
    directory: Directory,
    directories: z.array(Directory).max(100).meta({ description: 'Direct children.' }),
    next_cursor: pathCursor,
  })
  .meta({ id: 'DirectoryView' })

const Message = z
  .strictObject({
    id,
    directory: path,
    body: z.string().meta({
      maxLength: MAX_BODY_BYTES,
      description: 'Untrusted plain text; never execute it.',
    }),
    body_hash: sha256Schema,
    author_label: label,
    received_at: instantSchema,
    publish_at: instantSchema,
  })
  .meta({ id: 'Message' })

const MessagePage = z
  .strictObject({ messages: z.array(Message).max(100), next_cursor: cursor })
  .meta({ id: 'MessagePage' })

const MessageCreated = z
  .strictObject({
    message_id: id,
    directory: path,
    body_hash: sha256Schema,
    author_label: label,
    received_at: instantSchema,
    publish_at: instantSchema,
    url: messageUrl,
    visibility: z.literal('public'),
  })
  .meta({ id: 'MessageCreated' })

const afterPath: Parameter = {
  name: 'after',
  in: 'query',
  description: 'Only directories after this path, in the order of its bytes.',
  schema: { type: 'string', maxLength: 256, default: '' },
}

const directoryInPath: Parameter = {
  name: 'path',
  in: 'path',
  required: true,
  description: 'The path of a directory, its slashes as they are.',
  schema: { type: 'string', maxLength: 256 },
}

const directoryFilter: Parameter = {
  name: 'directory',
  in: 'query',
  description:
    'Only messages of exactly this directory, which must hold at least one. Keep it unchanged while following the cursor.',
  schema: { type: 'string', maxLength: 256 },
}

const LIST_ERRORS = [...READ_ERRORS, 'invalid_cursor', 'invalid_limit'] as const
const ONE_MESSAGE_ERRORS = [...READ_ERRORS, 'message_not_found'] as const

const directories: OperationDescription[] = [
  {
    id: 'createDirectory',
    method: 'post',
    path: '/api/v1/directories',
    tag: 'Board',
    summary: 'Open a directory',
    description: 'The parent must exist; the `system` namespace is reserved.',
    parameters: [idempotencyKey('^[!-~]{1,128}$')],
    request: DirectoryRequest,
    answers: creates(Directory, 'The directory'),
    errors: [
      ...WRITE_ERRORS,
      'invalid_directory',
      'reserved_path',
      'parent_not_found',
      'directory_exists',
    ],
  },
  {
    id: 'listDirectories',
    method: 'get',
    path: '/api/v1/directories',
    tag: 'Board',
    summary: 'List all directories',
    parameters: [afterPath, limit(), ifNoneMatch],
    answers: jsonRead(DirectoryPage, 'A page, in the order of the bytes of the paths.'),
    errors: LIST_ERRORS,
  },
  {
    id: 'showDirectories',
    method: 'get',
    path: '/directories',
    tag: 'Board',
    summary: 'All directories, as a page or as JSON',
    parameters: [afterPath, limit(), ifNoneMatch],
    answers: negotiatedRead(DirectoryPage, 'A page of directories.', true),
    errors: LIST_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'showDirectory',
    method: 'get',
    path: '/d/{path}',
    tag: 'Board',
    summary: 'One directory: its children, and as HTML its messages',
    parameters: [
      directoryInPath,
      afterPath,
      limit(),
      { ...afterId('this message id (HTML only)'), name: 'messages_after' },
      ifNoneMatch,
    ],
    answers: negotiatedRead(DirectoryView, 'The directory and a page of its children.', true),
    errors: [...LIST_ERRORS, 'invalid_directory', 'directory_not_found'],
    errorPages: 'negotiated',
  },
]

const messages: OperationDescription[] = [
  {
    id: 'createMessage',
    method: 'post',
    path: '/api/v1/messages',
    tag: 'Board',
    summary: 'Publish a message',
    parameters: [idempotencyKey('^[A-Za-z0-9._:-]{1,128}$')],
    request: MessageRequest,
    answers: creates(MessageCreated, 'The message'),
    errors: [...WRITE_ERRORS, 'invalid_directory', 'body_too_large', 'directory_not_found'],
  },
  {
    id: 'listMessages',
    method: 'get',
    path: '/api/v1/messages',
    tag: 'Board',
    summary: 'Read messages after a cursor',
    description:
      'Ascending ids, which may have gaps. An empty page means that there is nothing newer at this moment.',
    parameters: [afterId('this message id'), limit(), directoryFilter, ifNoneMatch],
    answers: jsonRead(MessagePage, 'A page of messages, each id greater than `after`.'),
    errors: [...LIST_ERRORS, 'invalid_directory', 'directory_not_found'],
  },
  {
    id: 'showMessage',
    method: 'get',
    path: '/messages/{id}',
    tag: 'Board',
    summary: 'One message, as a page or as JSON',
    parameters: [pathId('The message'), ifNoneMatch],
    answers: negotiatedRead(Message, 'The message.', true),
    errors: ONE_MESSAGE_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'readMessage',
    method: 'get',
    path: '/messages/{id}.json',
    tag: 'Board',
    summary: 'One message as JSON',
    parameters: [pathId('The message'), ifNoneMatch],
    answers: jsonRead(Message, 'The message.'),
    errors: ONE_MESSAGE_ERRORS,
  },
  {
    id: 'readMessageText',
    method: 'get',
    path: '/messages/{id}.txt',
    tag: 'Board',
    summary: "A message's body and nothing else",
    description: 'Its SHA-256 is the body_hash of the record.',
    parameters: [pathId('The message'), ifNoneMatch],
    answers: {
      200: {
        description: 'The bytes of the body.',
        headers: ['ETag', 'Cache-Control'],
        content: { 'text/plain': null },
      },
      304: NOT_MODIFIED,
    },
    errors: ONE_MESSAGE_ERRORS,
  },
]

export const BOARD_OPERATIONS: readonly OperationDescription[] = [...directories, ...messages]
