// The error codes of API.md 2.2, and the exception that carries one.

/** Stable code -> HTTP status. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_cursor: 400,
  invalid_limit: 400,
  invalid_directory: 400,
  invalid_day: 400,
  invalid_query: 400,
  invalid_idempotency_key: 400,
  reserved_path: 400,
  not_found: 404,
  directory_not_found: 404,
  parent_not_found: 404,
  message_not_found: 404,
  investigation_not_found: 404,
  link_not_found: 404,
  snapshot_not_found: 404,
  media_not_found: 404,
  receipt_not_available: 404,
  method_not_allowed: 405,
  directory_exists: 409,
  idempotency_conflict: 409,
  precondition_failed: 412,
  request_too_large: 413,
  body_too_large: 413,
  metadata_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal_error: 500,
  not_implemented: 501,
  read_only: 503,
  feature_disabled: 503,
  storage_unavailable: 503,
  archive_unavailable: 503,
  overloaded: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** The kinds of records that an operator can hide. */
export const RECORD_KINDS = ['message', 'directory', 'investigation'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/** A record or page that exists, which an error page links to. */
export interface Nearby {
  url: string
  /** May be untrusted text, such as an investigation's title. */
  name: string
}

/** An error response: thrown anywhere while a request is handled, turned into a response by mount.ts. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  /** The nearest things that exist, if the requested one does not. */
  nearest: readonly Nearby[] = []
  /** A record that does not exist for readers: it never did, or is hidden. A directory is named by its path. */
  missing: { kind: RecordKind; name: string } | null = null

  /**
   * @param message for people; names the field and the rule it breaks
   * @param headers sent with the response (Retry-After, Allow, ...)
   */
  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}

export function noRecord(
  kind: RecordKind,
  name: bigint | string,
  message = `there is no ${kind} ${name}`,
): Problem {
  const problem = new Problem(`${kind}_not_found`, message)
  problem.missing = { kind, name: String(name) }
  return problem
}

/** Adds the nearest existing things to a Problem with status 404. */
export async function orNearest<T>(
  work: Promise<T>,
  find: () => Promise<readonly Nearby[]>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && error.status === 404) error.nearest = await find()
    throw error
  }
}

export const envelope = (code: ErrorCode, message: string) => ({ error: { code, message } })
