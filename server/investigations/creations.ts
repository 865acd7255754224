// Turns a validated request into an investigation with its question, or into a contribution.
import { stringifyJson } from '../../archive/base/json.ts'
import { addMessage, mentionedIds, requireDirectory } from '../board/creations.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import type { Creation } from '../publishing/batch.ts'
import type { BatchRecords } from '../publishing/batch-records.ts'
import { MESSAGE_LIMITS } from '../publishing/limits.ts'
import { investigationUrl, messageUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import { noRecord, Problem } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'
import type { ContributionCreated, InvestigationCreated } from './api.ts'
import {
  type ContributionRequest,
  contributionRequest,
  type InvestigationRequest,
  investigationRequest,
  type Link,
  type Source,
} from './rules.ts'

export const investigationCreation: Creation<InvestigationRequest, InvestigationCreated> = {
  operation: 'investigation',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(investigationRequest, json),
  needs: (request) => ({ directories: [request.directory], messages: mentionedIds(request) }),
  publish: (records, request, times) => {
    const directoryId = requireDirectory(records, request.directory)
    const id = records.sequences.next('investigation')
    const message = addMessage(records, request, directoryId, id, times)
    records.addInvestigation({
      id,
      root_message_id: message.id,
      directory_id: directoryId,
      title: request.title,
      created_at: message.publish_at,
    })
    addEntry(records, message.id, id, { kind: 'question', sources: request.sources, links: [] })
    return {
      id,
      root_message_id: message.id,
      url: investigationUrl(id),
      message_url: messageUrl(message.id),
      format_version: 1,
      body_hash: message.body_hash,
      received_at: instant(message.received_at),
      visibility: 'public',
    }
  },
  messageOf: ({ root_message_id }) => root_message_id,
}

/** Includes the investigation from the path, so that idempotency compares it as part of the content. */
export interface AddressedContribution {
  investigation: bigint
  contribution: ContributionRequest
}

export const contributionCreation: Creation<AddressedContribution, ContributionCreated> = {
  operation: 'contribution',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json, { id }) => ({
    investigation: readId(id),
    contribution: readShape(contributionRequest, json),
  }),
  needs: ({ investigation, contribution }) => ({
    investigations: [investigation],
    messages: [...contribution.links.map((link) => link.message_id), ...mentionedIds(contribution)],
  }),
  publish: (records, { investigation, contribution }, times) => {
    const directoryId = records.directoryOfInvestigation(investigation)
    if (directoryId === undefined) throw noRecord('investigation', investigation)
    requireTargets(records, contribution.links)
    const message = addMessage(records, contribution, directoryId, investigation, times)
    addEntry(records, message.id, investigation, contribution)
    return {
      message_id: message.id,
      investigation_id: investigation,
      url: messageUrl(message.id),
      investigation_url: investigationUrl(investigation),
      body_hash: message.body_hash,
      received_at: instant(message.received_at),
      visibility: 'public',
    }
  },
  messageOf: ({ message_id }) => message_id,
}

/** @throws Problem link_not_found unless every target is a visible message, of any directory (API.md 7.2) */
function requireTargets(records: BatchRecords, links: readonly Link[]): void {
  for (const [i, { message_id }] of links.entries())
    if (!records.isVisibleMessage(message_id))
      throw new Problem(
        'link_not_found',
        `links[${i}].message_id: there is no message ${message_id}`,
      )
}

function addEntry(
  records: BatchRecords,
  messageId: bigint,
  investigationId: bigint,
  { kind, sources, links }: { kind: EntryKind; sources: Source[]; links: Link[] },
): void {
  const entry = {
    message_id: messageId,
    investigation_id: investigationId,
    kind,
    sources: stringifyJson(sources),
    source_count: sources.length,
    links: stringifyJson(links),
  }
  const rows = links.map(({ message_id: target_id, relation }) => ({
    message_id: messageId,
    target_id,
    relation,
  }))
  records.addEntry(entry, rows)
}
