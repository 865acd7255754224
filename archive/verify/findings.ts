// The findings and reports of verify.
import { type ArchiveErrorCode, type BadFile, isArchiveError } from '../base/errors.ts'
import { FetchFailure } from '../http/failure.ts'
import type { Shortfall } from '../log/witnessed.ts'

/** All codes of findings (FORMAT.md 12.3). Notes do not make verify fail. What is pending is not good yet, and no fault. */
export const SEVERITY = {
  archive_unavailable: 'failure',
  no_days: 'failure',
  missing: 'failure',
  not_a_file: 'failure',
  too_large: 'failure',
  unreadable: 'failure',
  unreachable: 'failure',
  http_status: 'failure',
  stray: 'failure',
  invalid_snapshot: 'failure',
  invalid_manifest: 'failure',
  invalid_index: 'failure',
  index_differs: 'failure',
  wrong_day: 'failure',
  snapshot_hash: 'failure',
  snapshot_size: 'failure',
  snapshot_differs: 'failure',
  conclusion: 'failure',
  medium_hash: 'failure',
  medium_size: 'failure',
  medium_facts: 'failure',
  not_a_medium: 'failure',
  content_type: 'failure',
  sound_undecodable: 'failure',
  sound_differs: 'failure',
  previous_missing: 'failure',
  previous_hash: 'failure',
  log_missing: 'failure',
  log_rewritten: 'failure',
  log_unsigned: 'failure',
  split_view: 'failure',
  stale: 'failure',
  no_quorum: 'failure',
  quorum_pending: 'pending',
  day_not_logged: 'failure',
  manifest_not_logged: 'failure',
  invalid_log: 'failure',
  invalid_checkpoint: 'failure',
  invalid_key: 'failure',
  unknown_signer: 'failure',
  wrong_signature: 'failure',
  invalid_mirror: 'failure',
  check_file_differs: 'failure',
  leaves_differ: 'failure',
  ids_not_consecutive: 'failure',
  records_differ: 'failure',
  invalid_records: 'failure',
  hidden_unexplained: 'note',
  check_file_old: 'note',
  filled_in_later: 'note',
  ids_reissued: 'note',
  ids_not_checked: 'note',
  overdue: 'note',
  staging_left: 'note',
  not_selected: 'note',
  peer_skipped: 'note',
} as const

export type FindingCode = keyof typeof SEVERITY

/** A fault or note about a file: a stable code, the file's name and a one-line message. */
export interface Finding {
  code: FindingCode
  file: string
  message: string
}

/** The findings for error codes that are not findings themselves. */
const FINDING_OF: Partial<Record<ArchiveErrorCode, FindingCode>> = {
  // Every note in an archive is a checkpoint.
  invalid_note: 'invalid_checkpoint',
  // A folder or a link is in the way.
  conflict: 'not_a_file',
}

/** The finding on a file that cannot be used. */
export function findingOn(file: string, { problem: { code, message } }: BadFile): Finding {
  return { code, file, message }
}

/**
 * Converts an error about a file to a finding.
 * @throws the error itself if it is not about a file
 */
export function findingFor(file: string, error: unknown): Finding {
  if (error instanceof FetchFailure) return { code: error.code, file, message: error.message }
  if (!isArchiveError(error)) throw error
  const code = FINDING_OF[error.code] ?? error.code
  if (!isFindingCode(code)) throw error
  return { code, file, message: error.message }
}

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(SEVERITY, code)
}

/** Whether a finding is reported without failing. */
export function isNote({ code }: Finding): boolean {
  return SEVERITY[code] === 'note'
}

/** Whether a report, which is not good, has no fault. */
export function isPending({ findings, days }: Pick<Report, 'findings' | 'days'>): boolean {
  const all = [...findings, ...days.flatMap((day) => day.findings)]
  return all.every(({ code }) => SEVERITY[code] !== 'failure')
}

export interface DayReport {
  day: string
  ok: boolean
  findings: Finding[]
}

/** What a report states about a witness. */
export interface WitnessReport {
  /** Its name in the policy. */
  name: string
  /** The name of its key. */
  key: string
  /** RFC 3339; null if it has not signed, or that is not verified here. */
  signed_at: string | null
  /** Why its cosignature does not count; null if it does. */
  shortfall: Shortfall | null
}

/** The checkpoint of the log that was checked. */
export interface LogReport {
  origin: string
  size: number
  /** 64 lowercase hex digits. */
  root: string
  /** Whether the signature was verified with a key given by the caller. */
  key_checked: boolean
  /** The signed checkpoint. */
  note: string
  /** What the witnesses of the policy have signed; only with a policy. */
  witnesses?: WitnessReport[]
  /** Whether they are a quorum; only with a policy. */
  quorum?: boolean
}

export interface Report {
  ok: boolean
  /** Ascending. */
  days: DayReport[]
  /** About the archive as a whole. */
  findings: Finding[]
  /** Absent if there is no readable log. */
  log?: LogReport
}
