// Writes `index.csv` (FORMAT.md 9): one row per day, RFC 4180 with CRLF.
import { stringify } from 'csv-stringify/sync'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import type { Manifest, Medium } from './manifest.ts'
import { MEDIA_KINDS } from './media.ts'

/** The header row. An empty field means unavailable. */
export const CSV_COLUMNS: readonly string[] = [
  'day',
  ...COUNTER_NAMES,
  'coverage',
  'clock',
  'conclusion',
  'generated_at',
  ...MEDIA_KINDS.map((kind) => `${kind}_sha256`),
]

/** Serializes days in the given order; only the header row if there are none. */
export function writeCsv(manifests: readonly Manifest[]): string {
  return stringify([[...CSV_COLUMNS], ...manifests.map(rowOf)], { record_delimiter: '\r\n' })
}

function rowOf({ snapshot, media }: Manifest): string[] {
  return [
    snapshot.day,
    ...COUNTER_NAMES.map((name) => snapshot.counters[name] ?? ''),
    snapshot.coverage.status,
    snapshot.clock.status,
    snapshot.conclusion,
    snapshot.generated_at,
    ...MEDIA_KINDS.map((kind) => {
      const medium: Medium | undefined = media[kind]
      return medium?.available ? medium.sha256 : ''
    }),
  ]
}
