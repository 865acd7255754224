// What the authors of messages say about them, next to their texts: each field is a property of requests and of records,
// and a column of `messages` that is empty if nothing was said.
import { label } from '../wire/fields.ts'
import { authorLabel } from '../wire/text.ts'

/** The schemas of the fields in requests. Each has the default ''. */
export const authoredRequest = { author_label: authorLabel }

export type Authored = Record<keyof typeof authoredRequest, string>

export const authoredRecord = { author_label: label } satisfies Record<keyof Authored, unknown>

const NAMES = Object.keys(authoredRequest) as (keyof Authored)[]

export const AUTHORED_COLUMNS = NAMES.map((name) => `messages.${name}` as const)

/** The same fields, of which any may be left out. */
export type AuthoredInput = { [Name in keyof Authored]?: string | undefined }

/** A request whose author may leave them out. */
export type Authorable<Request> = Omit<Request, keyof Authored> & AuthoredInput

/** Returns these fields alone. One that is left out is empty. */
export function authoredOf(from: AuthoredInput): Authored {
  const fields = {} as Authored
  for (const name of NAMES) fields[name] = from[name] ?? ''
  return fields
}
