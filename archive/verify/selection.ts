// Reads which part of an archive a source has: everything, unless it is a mirror that selects less (FORMAT.md 21.7).
import { ArchiveError } from '../errors.ts'
import { MAX_JSON_BYTES } from '../format/bounds.ts'
import { describeExcluded, FULL_SELECTION, parseMirror, type Selection } from '../format/mirror.ts'
import { MIRROR_FILE } from '../format/paths.ts'
import type { Finding, FindingCode } from './findings.ts'
import type { Source } from './source.ts'

/** Reads the selection of a source, with a note about what it excludes. */
export async function readSelection(
  source: Source,
): Promise<{ selection: Selection; findings: Finding[] }> {
  const report = (code: FindingCode, message: string): Finding[] => [
    { code, file: source.rootName(MIRROR_FILE), message },
  ]
  const file = await source.readRoot(MIRROR_FILE, MAX_JSON_BYTES)
  if ('problem' in file) {
    const { code, message } = file.problem
    return { selection: FULL_SELECTION, findings: code === 'missing' ? [] : report(code, message) }
  }
  try {
    const selection = parseMirror(file.bytes)
    const excluded = describeExcluded(selection)
    const findings = excluded
      ? report('not_selected', `not mirrored, so not checked: ${excluded}`)
      : []
    return { selection, findings }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_mirror') throw error
    return { selection: FULL_SELECTION, findings: report('invalid_mirror', error.message) }
  }
}
