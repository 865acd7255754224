// Declares the endpoints that find messages by their words (API.md 11).
import { z } from 'zod'
import { instantSchema, MAX_ID } from '../../archive/format/scalars.ts'
import { Message } from '../board/api.ts'
import { endpoints, LIST_ERRORS, read } from '../wire/endpoint.ts'
import { named } from '../wire/fields.ts'
import { ID, inQuery, type Parameter, pageLimit } from '../wire/parameters.ts'
import { MAX_LIMIT } from '../wire/query.ts'
import { MAX_QUERY } from './rules.ts'

export const SEARCH_URL = '/search'

const SearchPage = named('SearchPage', {
  messages: z.array(Message).max(MAX_LIMIT),
  next_cursor: z.bigint().min(0n).max(MAX_ID).meta({
    id: 'SearchCursor',
    minimum: 0,
    description: 'Pass it as `before` to go on; 0 when nothing older is left to look at.',
  }),
  searched_to: instantSchema.nullable().meta({
    description: 'How far back an answer looked that stopped at its bound; else null.',
  }),
})

const PARAMETERS: readonly Parameter[] = [
  {
    ...inQuery(
      'q',
      'Words, `"quoted words"`, `word*`, and the operators in:, by:, kind:, from: and to:. All must match.',
      { type: 'string', minLength: 1, maxLength: MAX_QUERY },
    ),
    required: true,
  },
  inQuery('before', 'Only messages before this id.', ID),
  pageLimit(),
]

const FOUND = {
  parameters: PARAMETERS,
  answer: { description: 'A page of messages, newest first.', schema: SearchPage },
  errors: ['invalid_query', ...LIST_ERRORS] as const,
}

export const SEARCH = endpoints('Board', {
  searchMessages: read({
    path: '/api/v1/search',
    summary: 'Find messages by their words',
    description:
      'A search that has to stop early says in `searched_to` how far it came, and goes on from `next_cursor`, even if the page is empty (API.md 11.5).',
    ...FOUND,
  }),
  showSearch: read({
    path: SEARCH_URL,
    representation: 'negotiated',
    summary: 'Find messages by their words, as a page or as JSON',
    description: 'Without `q` the page is a form; the JSON requires it.',
    ...FOUND,
  }),
})
