// An address of each endpoint that is declared, for tests of what endpoints have in common.
import { ENDPOINTS } from '../../../server/openapi/document.ts'
import type { Endpoint } from '../../../server/wire/endpoint.ts'

/** @param parameters what stands for those of the path, by name */
export const addressOf = (
  { path }: Pick<Endpoint, 'path'>,
  parameters: Record<string, string>,
): string => path.replace('**', '').replace(/:([a-z]+)/g, (_, name) => parameters[name] as string)

export const READS = ENDPOINTS.filter(({ method }) => method === 'GET')

/** Whether a read has nothing to show without a query. */
export const needsQuery = ({ parameters }: Endpoint): boolean =>
  parameters.some((one) => one.in === 'query' && one.required)
