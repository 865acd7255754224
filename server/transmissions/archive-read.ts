// Declarations that the endpoints of the archive share.
import { type Declaration, read } from '../wire/endpoint.ts'
import type { Parameter } from '../wire/parameters.ts'

export const dayInPath: Parameter = {
  name: 'day',
  in: 'path',
  required: true,
  description: 'An archived day.',
  schema: { type: 'string', format: 'date' },
}

/** Declares a read of the archive, which may be switched off, missing or damaged. */
export const archiveRead = ({ errors = [], ...rest }: Parameters<typeof read>[0]): Declaration =>
  read({ ...rest, errors: ['archive_unavailable', ...errors] })
