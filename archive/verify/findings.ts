// What verify reports, as data.

/** Every code that a finding can have, as FORMAT.md 13.4 explains them; a note does not fail. */
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
  manifest_changed: 'failure',
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
  filled_in_later: 'note',
  staging_left: 'note',
} as const

export type FindingCode = keyof typeof SEVERITY

/** Something to report of a file: a stable code, the file's name, one sentence. */
export interface Finding {
  code: FindingCode
  file: string
  message: string
}

/** Whether a finding is reported without failing. */
export function isNote({ code }: Finding): boolean {
  return SEVERITY[code] === 'note'
}

export interface DayReport {
  day: string
  ok: boolean
  findings: Finding[]
}

export interface Report {
  ok: boolean
  /** Ascending. */
  days: DayReport[]
  /** Of the archive as a whole. */
  findings: Finding[]
}
