// How a request becomes a question or a contribution.
import type { Creation } from '../publishing/create.ts'
import { MESSAGE_LIMITS } from '../publishing/limits.ts'
import { readId } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'
import { contribute, createInvestigation } from './queries.ts'
import {
  type ContributionRequest,
  contributionRequest,
  type InvestigationRequest,
  investigationRequest,
} from './rules.ts'

export const investigationCreation: Creation<InvestigationRequest> = {
  operation: 'investigation',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(investigationRequest, json),
  publish: createInvestigation,
}

/** The address names the investigation; a repetition must name the same one. */
export interface AddressedContribution {
  investigation: bigint
  contribution: ContributionRequest
}

export const contributionCreation: Creation<AddressedContribution> = {
  operation: 'contribution',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json, { id }) => ({
    investigation: readId(id),
    contribution: readShape(contributionRequest, json),
  }),
  publish: (tx, { investigation, contribution }, times) =>
    contribute(tx, investigation, contribution, times),
}
