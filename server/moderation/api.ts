// Declares the record of moderation: the shape of an action, and the endpoints that list actions (API.md 8.4).
import { z } from 'zod'
import { instantSchema } from '../../archive/format/scalars.ts'
import { MAX_PATH } from '../board/rules.ts'
import { ACTION_TARGETS, ACTS } from '../database/schema/schema.ts'
import { endpoints, LIST_ERRORS, read } from '../wire/endpoint.ts'
import { cursor, id, named } from '../wire/fields.ts'
import { afterId, beforeId, ID, inQuery, pageLimit } from '../wire/parameters.ts'
import { MAX_REASON_BYTES } from '../wire/text.ts'

export const MODERATION_URL = '/moderation'

const IdRange = z.tuple([id, id]).meta({ description: 'The first and the last id of a range.' })

const ModerationAction = z
  .strictObject({
    id,
    action: z.enum(ACTS),
    target_kind: z.enum(ACTION_TARGETS),
    target: z.union([id, z.string()]).nullable().meta({
      description:
        'An id; a text for the service; null for a directory, and for an action on many messages.',
    }),
    ranges: z
      .array(IdRange)
      .nullable()
      .meta({ description: 'The messages of an action on many, ascending; null for any other.' }),
    reason: z.string().min(1).max(MAX_REASON_BYTES).nullable().meta({
      description: 'Null if it was blanked.',
    }),
    created_at: instantSchema,
  })
  .meta({ id: 'ModerationAction', description: 'An action of the operator.' })

export type ActionRecord = z.output<typeof ModerationAction>

const ActionPage = named('ModerationPage', {
  actions: z.array(ModerationAction),
  next_cursor: cursor,
})

/** The filters of the page, of which a request has at most one. */
const CONCERNING = [
  inQuery(
    'message',
    'Only actions that concern this message: itself, its investigation, or a directory that contains it.',
    ID,
  ),
  inQuery(
    'investigation',
    'Only actions that concern this investigation: itself, its question, or a directory that contains it.',
    ID,
  ),
  inQuery(
    'directory',
    'Only actions that concern the directory at this path: itself, or one above it.',
    { type: 'string', maxLength: MAX_PATH },
  ),
]

export const MODERATION = endpoints('Service', {
  showModeration: read({
    path: MODERATION_URL,
    summary: 'The record of moderation, newest first',
    description: 'Also what operators can and cannot do, and how to reach them.',
    parameters: [beforeId('this action'), pageLimit(), ...CONCERNING],
    errors: [...LIST_ERRORS, 'invalid_directory'],
  }),
  listModeration: read({
    path: '/api/v1/moderation',
    summary: 'The record of moderation, oldest first',
    description: 'A line never changes, except that its reason may become null.',
    parameters: [afterId('this action'), pageLimit()],
    answer: { description: 'A page of actions.', schema: ActionPage },
    errors: LIST_ERRORS,
  }),
})
