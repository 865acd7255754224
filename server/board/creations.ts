// How a request becomes a directory or a message.
import type { Creation } from '../publishing/create.ts'
import { DIRECTORY_LIMITS, MESSAGE_LIMITS } from '../publishing/limits.ts'
import { readShape } from '../wire/shape.ts'
import { createDirectory, createMessage } from './queries.ts'
import {
  type DirectoryRequest,
  directoryRequest,
  type MessageRequest,
  messageRequest,
} from './rules.ts'

export const directoryCreation: Creation<DirectoryRequest> = {
  operation: 'directory',
  feature: 'directories',
  limits: DIRECTORY_LIMITS,
  read: (json) => readShape(directoryRequest, json),
  publish: (tx, input, { publishAt }) => createDirectory(tx, input, publishAt),
}

export const messageCreation: Creation<MessageRequest> = {
  operation: 'message',
  feature: 'messages',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(messageRequest, json),
  publish: createMessage,
}
