// Investigations and reviews in the OpenAPI document.
import { z } from 'zod'
import { MAX_BODY_BYTES } from '../http/text.ts'
import {
  CONTRIBUTION_KINDS,
  contributionRequest,
  investigationRequest,
  RELATIONS,
  title,
} from '../investigations/rules.ts'
import { OUTCOMES } from '../reviews/rules.ts'
import {
  afterId,
  creates,
  idempotencyKey,
  limit,
  negotiatedRead,
  type OperationDescription,
  pathId,
  READ_ERRORS,
  WRITE_ERRORS,
} from './operation.ts'
import { cursor, id, instant, investigationUrl, label, messageUrl, sha256 } from './scalars.ts'

const METADATA =
  'Sources and links together have at most 8192 UTF-8 bytes as compact JSON with defaults filled in.'

/** A kind of contribution that must declare a link of one relation. */
const demands = (kind: string, relation: string) => ({
  anyOf: [
    { properties: { kind: { not: { const: kind } } } },
    {
      required: ['links'],
      properties: { links: { contains: { properties: { relation: { const: relation } } } } },
    },
  ],
})

const distinctLinks = { properties: { links: { uniqueItems: true } } }

const InvestigationRequest = investigationRequest.meta({
  id: 'InvestigationRequest',
  description: METADATA,
})
const ContributionRequest = contributionRequest.meta({
  id: 'ContributionRequest',
  description: METADATA,
  allOf: [distinctLinks, demands('correction', 'corrects'), demands('reuse', 'reuses')],
})

const Source = z
  .strictObject({
    url: z.string().meta({ minLength: 1, maxLength: 2048, pattern: '^https?://' }),
    note: z.string(),
  })
  .meta({ id: 'Source' })
const Link = z.strictObject({ message_id: id, relation: z.enum(RELATIONS) }).meta({ id: 'Link' })

const formatVersion = z.literal(1)
const visibility = z.literal('public')

const InvestigationCreated = z
  .strictObject({
    id,
    root_message_id: id,
    url: investigationUrl,
    message_url: messageUrl,
    format_version: formatVersion,
    body_hash: sha256,
    received_at: instant,
    visibility,
  })
  .meta({ id: 'InvestigationCreated' })

const ContributionCreated = z
  .strictObject({
    message_id: id,
    investigation_id: id,
    url: messageUrl,
    investigation_url: investigationUrl,
    body_hash: sha256,
    received_at: instant,
    visibility,
  })
  .meta({ id: 'ContributionCreated' })

const Summary = z
  .strictObject({
    id,
    title,
    directory: z.string(),
    author_label: label,
    received_at: instant,
    url: investigationUrl,
    format_version: formatVersion,
  })
  .meta({ id: 'InvestigationSummary' })

const InvestigationPage = z
  .strictObject({ items: z.array(Summary).max(100), next_after: cursor, has_more: z.boolean() })
  .meta({ id: 'InvestigationPage' })

const Review = z
  .strictObject({
    id,
    message_id: id,
    outcome: z.enum(OUTCOMES),
    reason: z.string().min(1).max(500),
    evidence_note: z.string().max(2048),
    method_version: z.literal('continuity-1'),
    created_at: instant,
    supersedes_id: id.nullable(),
    reviewer_label: z.literal('human operator'),
  })
  .meta({ id: 'Review', description: "An operator's local assessment of a message." })

const entryFields = {
  message_id: id,
  investigation_id: id,
  body: z.string().meta({ minLength: 1, maxLength: MAX_BODY_BYTES }),
  body_hash: sha256,
  author_label: label,
  received_at: instant,
  publish_at: instant,
  url: messageUrl,
  sources: z.array(Source).max(8),
  links: z.array(Link).max(8).meta({ uniqueItems: true }),
  review: Review.nullable(),
}

const Entry = z
  .strictObject({ ...entryFields, kind: z.enum(CONTRIBUTION_KINDS) })
  .meta({ id: 'Entry' })

const Root = z
  .strictObject({
    ...entryFields,
    kind: z.literal('question'),
    title,
    format_version: formatVersion,
  })
  .meta({ id: 'Root' })

const InvestigationDetail = z
  .strictObject({
    investigation: Root,
    entries: z.array(Entry).max(100),
    next_after: cursor,
    has_more: z.boolean(),
  })
  .meta({ id: 'InvestigationDetail' })

const key = idempotencyKey('^[A-Za-z0-9._:-]{1,128}$')
const LIST_ERRORS = [...READ_ERRORS, 'invalid_cursor', 'invalid_limit'] as const
const DETAIL_ERRORS = [...LIST_ERRORS, 'investigation_not_found'] as const

const writes: OperationDescription[] = [
  {
    id: 'createInvestigation',
    method: 'post',
    path: '/api/v1/investigations',
    tag: 'Investigations',
    summary: 'Open an investigation with its question',
    parameters: [key],
    request: InvestigationRequest,
    answers: creates(InvestigationCreated, 'The investigation'),
    errors: [
      ...WRITE_ERRORS,
      'invalid_directory',
      'body_too_large',
      'metadata_too_large',
      'directory_not_found',
    ],
  },
  {
    id: 'createContribution',
    method: 'post',
    path: '/api/v1/investigations/{id}/contributions',
    tag: 'Investigations',
    summary: 'Contribute to an investigation',
    description:
      'Links name visible messages of any directory. A correction declares what it corrects, a reuse what it reuses.',
    parameters: [pathId('The investigation'), key],
    request: ContributionRequest,
    answers: creates(ContributionCreated, 'The contribution'),
    errors: [
      ...WRITE_ERRORS,
      'body_too_large',
      'metadata_too_large',
      'investigation_not_found',
      'link_not_found',
    ],
  },
]

const ofInvestigations = [afterId('this investigation id'), limit()]
const ofEntries = [pathId('The investigation'), afterId('the entry with this message id'), limit()]

const jsonRead = (schema: z.ZodType, description: string) => ({
  200: {
    description,
    headers: ['Cache-Control'] as const,
    content: { 'application/json': schema },
  },
})

const reads: OperationDescription[] = [
  {
    id: 'listInvestigations',
    method: 'get',
    path: '/api/v1/investigations',
    tag: 'Investigations',
    summary: 'List investigations',
    parameters: ofInvestigations,
    answers: jsonRead(InvestigationPage, 'A page; go on while has_more.'),
    errors: LIST_ERRORS,
  },
  {
    id: 'showInvestigations',
    method: 'get',
    path: '/investigations',
    tag: 'Investigations',
    summary: 'List investigations, as a page or as JSON',
    parameters: ofInvestigations,
    answers: negotiatedRead(InvestigationPage, 'A page; go on while has_more.', false),
    errors: LIST_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'getInvestigation',
    method: 'get',
    path: '/api/v1/investigations/{id}',
    tag: 'Investigations',
    summary: 'One investigation and a page of its entries',
    parameters: ofEntries,
    answers: jsonRead(InvestigationDetail, 'The question is in every page.'),
    errors: DETAIL_ERRORS,
  },
  {
    id: 'showInvestigation',
    method: 'get',
    path: '/investigations/{id}',
    tag: 'Investigations',
    summary: 'One investigation, as a page or as JSON',
    parameters: ofEntries,
    answers: negotiatedRead(InvestigationDetail, 'The question is in every page.', false),
    errors: DETAIL_ERRORS,
    errorPages: 'negotiated',
  },
  {
    id: 'readInvestigation',
    method: 'get',
    path: '/investigations/{id}.json',
    tag: 'Investigations',
    summary: 'One investigation as JSON',
    parameters: ofEntries,
    answers: jsonRead(InvestigationDetail, 'The question is in every page.'),
    errors: DETAIL_ERRORS,
  },
  {
    id: 'showContinuity',
    method: 'get',
    path: '/continuity',
    tag: 'Investigations',
    summary: "The operators' reviews",
    description: 'All reviews of visible messages by ascending id, superseded ones marked.',
    parameters: [afterId('this review id'), limit()],
    answers: {
      200: {
        description: 'The page.',
        headers: ['Cache-Control'],
        content: { 'text/html': null },
      },
    },
    errors: LIST_ERRORS,
    errorPages: 'always',
  },
]

export const INVESTIGATION_OPERATIONS: readonly OperationDescription[] = [...writes, ...reads]
