// Reads what an archive selects: all days and media, unless it is a mirror that keeps fewer (COMMANDS.md 4.4).
import { isArchiveError } from '../base/errors.ts'
import { describeExcluded, FULL_SELECTION, parseMirror, type Selection } from '../format/mirror.ts'
import { MIRROR_FILE } from '../format/paths.ts'
import type { Place } from '../place/place.ts'
import type { Finding, FindingCode } from './findings.ts'

/** Reads the selection of a place, with a note about what it excludes. */
export async function readSelection(
  place: Place,
): Promise<{ selection: Selection; findings: Finding[] }> {
  const report = (code: FindingCode, message: string): Finding[] => [
    { code, file: place.nameOf(MIRROR_FILE), message },
  ]
  const file = await place.read(MIRROR_FILE)
  if ('problem' in file) {
    const { code, message } = file.problem
    return { selection: FULL_SELECTION, findings: code === 'missing' ? [] : report(code, message) }
  }
  try {
    const selection = parseMirror(file.content)
    const excluded = describeExcluded(selection)
    const findings = excluded
      ? report('not_selected', `not mirrored, so not checked: ${excluded}`)
      : []
    return { selection, findings }
  } catch (error) {
    if (!isArchiveError(error, 'invalid_mirror')) throw error
    return { selection: FULL_SELECTION, findings: report('invalid_mirror', error.message) }
  }
}
