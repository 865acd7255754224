// Follows the record of moderation of a source (COMMANDS.md 4.6). Its last id is the cursor of the next run.
import { isArchiveError, orNull } from '../base/errors.ts'
import { parseJson, stringifyJson } from '../base/json.ts'
import { boundOf } from '../format/bounds.ts'
import { MODERATION_FILE, moderationUrl } from '../format/paths.ts'
import { type ActionLine, asAction, parseActions } from '../format/record-lines.ts'
import { FetchFailure } from '../http/failure.ts'
import type { FolderPlace } from '../place/folder.ts'
import { type ReadFile, readUsable, textOf, update } from '../place/place.ts'
import { fetched, isService, type ServedPlace, type ServicePlace } from '../place/served.ts'

/** Actions on a page. */
const PAGE = 100
/** On a page whose actions name so many messages that it is too large. */
const SMALL_PAGE = 10

/**
 * Reads the record of moderation from the mirror's last action on. It is read from its beginning if the source has blanked a
 * reason, so that lines that we have may have changed, or no longer has our last action, as after a restored backup: then
 * its ids may have been given again.
 * @returns all actions that the source has shown, ascending, and how many of the first ones the mirror had
 * @throws FetchFailure; ArchiveError `invalid_records` for the source's file
 */
export async function newActions(origin: ServedPlace, mirror: FolderPlace) {
  const file = await readUsable(mirror, MODERATION_FILE)
  // A damaged file counts as empty, so that all are read again.
  const own = (file && orNull(() => parseActions(textOf(file)), 'invalid_records')) ?? []
  const last = own.at(-1)
  const shown = await actionsAfter(origin, last === undefined ? 0n : last.id - 1n)
  const news = shown.slice(last === undefined ? 0 : 1)
  if (isSame(last, last && shown[0]) && !news.some(blanksReason))
    return { all: [...own, ...news], kept: own.length, hasNews: news.length > 0 }
  const all = await actionsAfter(origin, 0n)
  const different = own.findIndex((action, i) => !isSame(action, all[i]))
  return { all, kept: different < 0 ? own.length : different, hasNews: true }
}

/** The record of moderation after a run has read what is new. */
export type Actions = Awaited<ReturnType<typeof newActions>>

/** Whether two lines are of one action; its reason may have been blanked. */
const isSame = (a: ActionLine | undefined, b: ActionLine | undefined): boolean =>
  a?.id === b?.id && a?.action === b?.action && a?.created_at === b?.created_at

const blanksReason = ({ action, target_kind: kind }: ActionLine): boolean =>
  action === 'erase' && (kind === 'action' || kind === 'review')

/**
 * Reads the actions of a source after an id, ascending.
 * @throws FetchFailure `invalid_index`, or `too_large` for a record that would not fit its file (FORMAT.md 2.7)
 */
async function actionsAfter(origin: ServedPlace, after: bigint): Promise<ActionLine[]> {
  if (!isService(origin)) {
    // A mirror behind a plain file server has the record as a file.
    const all = parseActions(textOf(fetched(await origin.read(MODERATION_FILE))))
    return all.filter(({ id }) => id > after)
  }
  const found: ActionLine[] = []
  let bytes = 0
  for (;;) {
    const page = await readPage(origin, found.at(-1)?.id ?? after, PAGE)
    if (page.length === 0) return found
    for (const action of page) {
      if (action.id <= (found.at(-1)?.id ?? after)) throw invalidActions('is not in order')
      bytes += lineOf(action).length
      found.push(action)
    }
    if (bytes > boundOf(MODERATION_FILE))
      throw new FetchFailure('too_large', `the record of moderation ${TOO_LARGE}`, LASTING)
    if (page.length < SMALL_PAGE) return found
  }
}

const TOO_LARGE = `is longer than ${boundOf(MODERATION_FILE)} bytes`
const LASTING = { isTransient: false }

const lineOf = (action: ActionLine): string => `${stringifyJson(action)}\n`

const invalidActions = (rule: string, cause?: unknown) =>
  new FetchFailure('invalid_index', `the record of moderation ${rule}`, { ...LASTING, cause })

async function readPage(origin: ServicePlace, after: bigint, limit: number): Promise<ActionLine[]> {
  const file = await origin.readList(moderationUrl(after, limit))
  const isLarge = 'problem' in file && file.problem.code === 'too_large'
  if (isLarge && limit > SMALL_PAGE) return readPage(origin, after, SMALL_PAGE)
  return actionsIn(fetched(file))
}

/** @throws FetchFailure `invalid_index` */
function actionsIn(file: ReadFile): ActionLine[] {
  try {
    const page = parseJson(textOf(file)) as { actions?: unknown } | null
    if (!Array.isArray(page?.actions)) throw invalidActions('is not a page of actions')
    return page.actions.map(asAction)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidActions('is not JSON', error)
    if (!isArchiveError(error)) throw error
    throw invalidActions(`breaks a rule: ${error.message}`, error)
  }
}

/**
 * Writes the record. Blanked reasons are blanked in any case, but new actions are only kept once every day shows them.
 * @param areDone whether every day shows them
 */
export async function keepActions(
  mirror: FolderPlace,
  { all, kept }: Actions,
  areDone: boolean,
): Promise<void> {
  const lines = (areDone ? all : all.slice(0, kept)).map(lineOf)
  await update(mirror, MODERATION_FILE, Buffer.from(lines.join('')))
}
