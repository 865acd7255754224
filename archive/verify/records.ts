// Checks the records that a mirror keeps of a day (FORMAT.md 26): each message against the leaf that the day has sealed, and
// each hidden one against the record of moderation.
import { isArchiveError, orElse } from '../base/errors.ts'
import { boundOf } from '../format/bounds.ts'
import { parseLeaves } from '../format/leaves.ts'
import { leavesKey, MODERATION_FILE, recordsKey, recordsName } from '../format/paths.ts'
import { type ActionLine, linesOf, parseActions } from '../format/record-lines.ts'
import type { Snapshot } from '../format/snapshot.ts'
import { areHeld, RecordsCheck } from '../log/records-check.ts'
import { type Place, textOf } from '../place/place.ts'
import type { Check } from './day-check.ts'
import { type Finding, findingFor } from './findings.ts'
import { scanFile } from './leaves.ts'

/** Whether the record of moderation may explain that a message is hidden. */
export type Explains = (id: bigint) => boolean

/** Reads the record of moderation of a mirror. A service does not serve it as a file. */
export async function readExplanations(
  place: Place,
): Promise<{ explains: Explains; findings: Finding[] }> {
  const file = await place.read(MODERATION_FILE)
  const report = (code: Finding['code'], message: string) => ({
    explains: () => true,
    findings: [{ code, file: place.nameOf(MODERATION_FILE), message }],
  })
  if ('problem' in file) return report(file.problem.code, file.problem.message)
  return orElse(
    () => ({ explains: explanationsIn(parseActions(textOf(file))), findings: [] }),
    ({ message }) => report('invalid_records', message),
  )
}

/**
 * An action on a directory or an investigation may concern any message, and one on a question every later contribution:
 * a mirror does not know where a hidden message belongs.
 */
function explanationsIn(actions: readonly ActionLine[]): Explains {
  const hiding = actions.filter(({ action }) => action === 'hide' || action === 'erase')
  const isAny = hiding.some(({ target_kind: kind }) => kind !== 'message')
  const ids = hiding.flatMap(({ target }) => (typeof target === 'bigint' ? [target] : []))
  const ranges = hiding.flatMap((action) => action.ranges ?? [])
  const earliest = [...ids, ...ranges.map(([first]) => first)].reduce<bigint | null>(
    (least, id) => (least === null || id < least ? id : least),
    null,
  )
  return (id) => isAny || (earliest !== null && earliest <= id)
}

/** Checks the records of a day. @param hasLeaves whether `<day>.leaves` is there and has the root that the day states */
export async function checkRecords(
  check: Check,
  snapshot: Snapshot,
  hasLeaves: boolean,
  explains: Explains,
): Promise<void> {
  const { place, day, report } = check
  const leaves = hasLeaves && areHeld(snapshot) ? await place.read(leavesKey(day)) : null
  const unexplained: bigint[] = []
  try {
    const isRead = leaves !== null && 'content' in leaves
    const sealed = { snapshot, leaves: isRead ? parseLeaves(leaves.content) : null }
    const bound = BigInt(boundOf(recordsKey(day)))
    const done = await scanFile(place, recordsKey(day), bound, async (chunks) => {
      const records = new RecordsCheck(sealed)
      unexplained.length = 0
      for await (const text of linesOf(chunks)) {
        const line = records.push(text)
        if (line.type === 'hidden' && !explains(line.id)) unexplained.push(line.id)
      }
      records.end()
      return null
    })
    if (done) report(recordsName(day), done.problem.code, done.problem.message)
  } catch (error) {
    if (!isArchiveError(error, 'invalid_records', 'records_differ', 'leaves_differ')) throw error
    const { code, message } = findingFor(recordsName(day), error)
    report(recordsName(day), code, message)
  }
  const [first] = unexplained
  if (first !== undefined)
    report(
      recordsName(day),
      'hidden_unexplained',
      unexplained.length === 1
        ? `message ${first} is hidden, and no action explains it`
        : `${unexplained.length} messages, the first of which is ${first}, are hidden, and no action explains it`,
    )
}
