// Declares the endpoints of investigations and the shapes of their responses (API.md 7).
import { z } from 'zod'
import { CONTRIBUTION_KINDS, RELATIONS } from '../../archive/format/record-lines.ts'
import { instantSchema, sha256Schema } from '../../archive/format/scalars.ts'
import { MESSAGE_KEY } from '../publishing/idempotency.ts'
import { Review } from '../reviews/api.ts'
import { investigationUrl } from '../wire/addresses.ts'
import { creates, endpoints, LIST_ERRORS, read } from '../wire/endpoint.ts'
import { cursor, id, investigationAddress, label, messageAddress, named } from '../wire/fields.ts'
import {
  afterId,
  beforeId,
  inQuery,
  type Parameter,
  pageLimit,
  pathId,
} from '../wire/parameters.ts'
import { MAX_LIMIT } from '../wire/query.ts'
import { MAX_BODY_BYTES } from '../wire/text.ts'
import {
  contributionRequest,
  investigationRequest,
  link,
  MAX_LINKS,
  MAX_SOURCES,
  sourceUrl,
  title,
} from './rules.ts'

/** A source in a response, where the note is always present. */
const Source = named('Source', { url: sourceUrl, note: z.string() })

const formatVersion = z.literal(1)
const visibility = z.literal('public')

const InvestigationCreated = named('InvestigationCreated', {
  id,
  root_message_id: id,
  url: investigationAddress,
  message_url: messageAddress,
  format_version: formatVersion,
  body_hash: sha256Schema,
  received_at: instantSchema,
  visibility,
})

const ContributionCreated = named('ContributionCreated', {
  message_id: id,
  investigation_id: id,
  url: messageAddress,
  investigation_url: investigationAddress,
  body_hash: sha256Schema,
  received_at: instantSchema,
  visibility,
})

const Summary = named('InvestigationSummary', {
  id,
  title,
  directory: z.string(),
  author_label: label,
  received_at: instantSchema,
  url: investigationAddress,
  format_version: formatVersion,
})

const InvestigationPage = named('InvestigationPage', {
  items: z.array(Summary).max(MAX_LIMIT),
  next_after: cursor,
  has_more: z.boolean(),
})

const entryFields = <Kind extends z.ZodType>(kind: Kind) => ({
  message_id: id,
  investigation_id: id,
  kind,
  body: z.string().meta({ minLength: 1, maxLength: MAX_BODY_BYTES }),
  body_hash: sha256Schema,
  author_label: label,
  received_at: instantSchema,
  publish_at: instantSchema,
  url: messageAddress,
  sources: z.array(Source).max(MAX_SOURCES),
  links: z.array(link).max(MAX_LINKS).meta({ uniqueItems: true }),
  review: Review.nullable(),
})

const Entry = named('Entry', entryFields(z.enum(CONTRIBUTION_KINDS)))

const Root = named('Root', {
  ...entryFields(z.literal('question')),
  title,
  format_version: formatVersion,
})

const InvestigationDetail = named('InvestigationDetail', {
  investigation: Root,
  entries: z.array(Entry).max(MAX_LIMIT),
  next_after: cursor,
  has_more: z.boolean(),
})

export type InvestigationCreated = z.output<typeof InvestigationCreated>
export type ContributionCreated = z.output<typeof ContributionCreated>
export type SummaryRecord = z.output<typeof Summary>
export type InvestigationPage = z.output<typeof InvestigationPage>
export type EntryRecord = z.output<typeof Entry>
export type RootRecord = z.output<typeof Root>
export type InvestigationDetail = z.output<typeof InvestigationDetail>

const only = (name: 'with' | 'without', what: string): Parameter =>
  inQuery(name, `Only investigations ${name} a ${what} (HTML only).`, {
    type: 'string',
    enum: [what],
  })

const list = {
  cache: 'no-store',
  parameters: [afterId('this investigation id'), pageLimit()],
  answer: {
    description: 'A page. More follow while `has_more` is true.',
    schema: InvestigationPage,
  },
  errors: LIST_ERRORS,
} as const

const detail = {
  cache: 'no-store',
  parameters: [pathId('The investigation'), afterId('the entry with this message id'), pageLimit()],
  answer: { description: 'The question is in every page.', schema: InvestigationDetail },
  errors: [...LIST_ERRORS, 'investigation_not_found'],
} as const

/** The id of a message with which the form of a page begins. */
const givenToForm = (name: string, what: string): Parameter => {
  const rule = `${what} (HTML only). An id that is not that of a visible message is ignored.`
  return inQuery(name, rule)
}

export const INVESTIGATIONS = endpoints('Investigations', {
  createInvestigation: creates({
    path: '/api/v1/investigations',
    summary: 'Open an investigation with its question',
    description:
      'The question is a message, and counts against the limits of messages (API.md 6.2, 7.5).',
    key: MESSAGE_KEY,
    request: investigationRequest,
    what: 'The investigation',
    answer: InvestigationCreated,
    optionalHeaders: ['Link'],
    errors: ['invalid_directory', 'body_too_large', 'metadata_too_large', 'directory_not_found'],
  }),
  createContribution: creates({
    path: '/api/v1/investigations/:id/contributions',
    summary: 'Contribute to an investigation',
    description:
      'Links refer to visible messages of any directory. A `correction` needs a link `corrects`, a `reuse` a link `reuses`.',
    parameters: [pathId('The investigation')],
    key: MESSAGE_KEY,
    request: contributionRequest,
    what: 'The contribution',
    answer: ContributionCreated,
    optionalHeaders: ['Link'],
    errors: ['body_too_large', 'metadata_too_large', 'investigation_not_found', 'link_not_found'],
  }),
  listInvestigations: read({
    path: '/api/v1/investigations',
    summary: 'List investigations',
    description:
      'By ascending id, which is no message id: continue with `after` set to `next_after` (API.md 7.1).',
    ...list,
  }),
  showInvestigations: read({
    path: '/investigations',
    representation: 'negotiated',
    summary: 'List investigations, as a page or as JSON',
    description:
      'The page begins with the newest activity; with `after` it has the order of the JSON.',
    ...list,
    parameters: [
      ...list.parameters,
      beforeId('the investigation whose newest message has this id'),
      only('with', 'result'),
      only('without', 'review'),
      givenToForm('about', 'A message that a new question is about'),
    ],
  }),
  getInvestigation: read({
    path: '/api/v1/investigations/:id',
    summary: 'One investigation and a page of its entries',
    description:
      'Entries are by ascending message id: continue with `after` set to `next_after` while `has_more` is true (API.md 7.1).',
    ...detail,
  }),
  showInvestigation: read({
    path: investigationUrl(':id'),
    representation: 'negotiated',
    summary: 'One investigation, as a page or as JSON',
    description:
      'JSON if `Accept` prefers it to `text/html`. The page fills in its form for a contribution from `corrects`, `supports`, `extends` or `reuses` (API.md 7.1).',
    ...detail,
    parameters: [
      ...detail.parameters,
      ...RELATIONS.map((name) => givenToForm(name, `A message that a new contribution ${name}`)),
    ],
  }),
  readInvestigation: read({
    path: `${investigationUrl(':id')}.json`,
    summary: 'One investigation as JSON',
    description: 'The same detail as under `/api/v1` (API.md 7.7).',
    ...detail,
  }),
})
