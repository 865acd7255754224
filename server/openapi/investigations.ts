// Investigations and reviews in the OpenAPI document.
import type { z } from 'zod'
import {
  ContributionCreated,
  ContributionRequest,
  InvestigationCreated,
  InvestigationDetail,
  InvestigationPage,
  InvestigationRequest,
} from './entries.ts'
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
