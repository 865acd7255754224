// What investigations are asked for and answer with, in the OpenAPI document.
import { z } from 'zod'
import { instantSchema, sha256Schema } from '../../archive/format/scalars.ts'
import {
  CONTRIBUTION_KINDS,
  contributionRequest,
  investigationRequest,
  RELATIONS,
  title,
} from '../investigations/rules.ts'
import { OUTCOMES } from '../reviews/rules.ts'
import { MAX_BODY_BYTES } from '../wire/text.ts'
import { cursor, id, investigationUrl, label, messageUrl } from './scalars.ts'

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

export const InvestigationRequest = investigationRequest.meta({
  id: 'InvestigationRequest',
  description: METADATA,
})
export const ContributionRequest = contributionRequest.meta({
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

export const InvestigationCreated = z
  .strictObject({
    id,
    root_message_id: id,
    url: investigationUrl,
    message_url: messageUrl,
    format_version: formatVersion,
    body_hash: sha256Schema,
    received_at: instantSchema,
    visibility,
  })
  .meta({ id: 'InvestigationCreated' })

export const ContributionCreated = z
  .strictObject({
    message_id: id,
    investigation_id: id,
    url: messageUrl,
    investigation_url: investigationUrl,
    body_hash: sha256Schema,
    received_at: instantSchema,
    visibility,
  })
  .meta({ id: 'ContributionCreated' })

const Summary = z
  .strictObject({
    id,
    title,
    directory: z.string(),
    author_label: label,
    received_at: instantSchema,
    url: investigationUrl,
    format_version: formatVersion,
  })
  .meta({ id: 'InvestigationSummary' })

export const InvestigationPage = z
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
    created_at: instantSchema,
    supersedes_id: id.nullable(),
    reviewer_label: z.literal('human operator'),
  })
  .meta({ id: 'Review', description: "An operator's local assessment of a message." })

const entryFields = {
  message_id: id,
  investigation_id: id,
  body: z.string().meta({ minLength: 1, maxLength: MAX_BODY_BYTES }),
  body_hash: sha256Schema,
  author_label: label,
  received_at: instantSchema,
  publish_at: instantSchema,
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

export const InvestigationDetail = z
  .strictObject({
    investigation: Root,
    entries: z.array(Entry).max(100),
    next_after: cursor,
    has_more: z.boolean(),
  })
  .meta({ id: 'InvestigationDetail' })
