// Follows the record of moderation of a source (COMMANDS.md 2.6). Its last id is the cursor of the next run.
import { parseJson, stringifyJson } from '../base/json.ts'
import { MODERATION_FILE, moderationUrl } from '../format/paths.ts'
import { type ActionLine, asAction, parseActionLine } from '../format/words.ts'
import { FetchFailure } from '../http/failure.ts'
import type { FolderPlace } from '../place/folder.ts'
import { offers, type Place, textOf } from '../place/place.ts'
import type { ServedPlace } from '../place/served.ts'
import { update } from './folder.ts'

/** The record of moderation after a run has read what is new. */
export interface Actions {
  /** All actions that the source has shown, ascending. */
  all: ActionLine[]
  /** The number of actions that the mirror had. */
  kept: number
  hasNews: boolean
}

/** Actions on a page. */
const PAGE = 100
/** On a page whose actions name so many messages that it is too large. */
const SMALL_PAGE = 10

/** @throws FetchFailure; ArchiveError `invalid_records` */
export async function newActions(origin: ServedPlace, mirror: FolderPlace): Promise<Actions> {
  const own = await ownActions(mirror)
  const news = offers(origin, 'readList')
    ? await actionsAfter(origin, own.at(-1)?.id ?? 0n)
    : await actionsInFile(origin, own.at(-1)?.id ?? 0n)
  const all = [...own, ...news]
  // The source has blanked a reason, so that the lines that we have may have changed.
  if (offers(origin, 'readList') && news.some(blanksReason))
    return { all: await actionsAfter(origin, 0n), kept: own.length, hasNews: true }
  return { all, kept: own.length, hasNews: news.length > 0 }
}

const blanksReason = ({ action, target_kind: kind }: ActionLine): boolean =>
  action === 'erase' && (kind === 'action' || kind === 'review')

/** The actions that a mirror has. @throws ArchiveError `invalid_records` */
async function ownActions(mirror: Pick<Place, 'get'>): Promise<ActionLine[]> {
  const file = await mirror.get(MODERATION_FILE)
  return file ? actionsIn(textOf(file)) : []
}

const actionsIn = (text: string): ActionLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseActionLine)

async function actionsAfter(
  origin: ServedPlace & Required<Pick<Place, 'readList'>>,
  after: bigint,
): Promise<ActionLine[]> {
  const found: ActionLine[] = []
  for (;;) {
    const page = await readPage(origin, found.at(-1)?.id ?? after, PAGE)
    if (page.length === 0) return found
    for (const action of page) {
      if (action.id <= (found.at(-1)?.id ?? after))
        throw new FetchFailure('invalid_index', 'the record of moderation is not in order', {
          isTransient: false,
        })
      found.push(action)
    }
    if (page.length < SMALL_PAGE) return found
  }
}

async function readPage(
  origin: ServedPlace & Required<Pick<Place, 'readList'>>,
  after: bigint,
  limit: number,
): Promise<ActionLine[]> {
  try {
    const file = await origin.readList(moderationUrl(after, limit))
    const { actions } = parseJson(textOf(file)) as { actions?: unknown[] }
    return (actions ?? []).map(asAction)
  } catch (error) {
    const isLarge = error instanceof FetchFailure && error.code === 'too_large'
    if (isLarge && limit > SMALL_PAGE) return readPage(origin, after, SMALL_PAGE)
    throw error
  }
}

/** A mirror behind a plain file server has the record as a file. */
async function actionsInFile(origin: ServedPlace, after: bigint): Promise<ActionLine[]> {
  const all = actionsIn(textOf(await origin.read(MODERATION_FILE)))
  return all.filter(({ id }) => id > after)
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
  const lines = (areDone ? all : all.slice(0, kept)).map((action) => `${stringifyJson(action)}\n`)
  await update(mirror, MODERATION_FILE, Buffer.from(lines.join('')))
}
