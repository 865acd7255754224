// The pages of the service itself: GET /, GET /write and GET /llms.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ArchiveError } from '../../archive/errors.ts'
import { dayOf } from '../../archive/format/paths.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import { listDirectories, newestMessages, suggestedDirectories } from '../board/queries.ts'
import { isPath } from '../board/rules.ts'
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Route } from '../http/mount.ts'
import { closedNotice, type Modes } from '../modes/rules.ts'
import type { Queryable, Store } from '../store/database.ts'
import { type HeldManifest, heldManifest, kindsIn } from '../transmissions/held.ts'
import { Problem } from '../wire/problem.ts'
import { SITE } from './api.ts'
import { messageFeed } from './feeds.ts'
import { guidePage } from './guide.ts'
import { homePage } from './home.ts'
import { writePage } from './write.ts'

export interface SiteDeps {
  store: Store
  archive: ArchiveReader
  /** Wall time, ms since 1970. */
  now(): number
  /** What is switched off, as `db` sees it. */
  modes(db: Queryable): Promise<Modes>
  /** @throws Problem while the archive's reads are switched off */
  admitRead(): Promise<void>
  /** BASE_URL, where it is set. */
  baseUrl: string | undefined
  /** The address of the script behind the forms. */
  formScript: string
}

const WRITE_FEATURES = ['directories', 'messages', 'investigations'] as const
const MESSAGES_SHOWN = 5
const MESSAGES_IN_FEED = 30
const DIRECTORIES_SHOWN = 8

export function siteRoutes(deps: SiteDeps): Route[] {
  const guide = readFileSync(join(import.meta.dirname, 'llms.txt'), 'utf8')
  return attach(SITE, {
    showHome: async (call, { cache }) => {
      const baseUrl = baseUrlOf(call, deps.baseUrl)
      const newest = await newestDay(deps)
      const board = await deps.store.read(async (tx) => ({
        messages: await newestMessages(tx, MESSAGES_SHOWN),
        directories: (await listDirectories(tx, { after: '', limit: DIRECTORIES_SHOWN })).page
          .directories,
        closed: closedNotice(await deps.modes(tx), WRITE_FEATURES),
      }))
      return answerText(call, 'html', homePage({ baseUrl, newest, ...board }), cache)
    },
    showWrite: async (call, { cache }) => {
      const asked = call.query.get('directory') ?? ''
      const view = await deps.store.read(async (tx) => ({
        closed: closedNotice(await deps.modes(tx), ['messages']),
        base_url: baseUrlOf(call, deps.baseUrl),
        chosen: isPath(asked) ? asked : '',
        suggested: await suggestedDirectories(tx),
      }))
      const answer = answerText(call, 'html', writePage(view, deps.formScript), cache)
      return { ...answer, hasForm: view.closed === null }
    },
    readFeed: async (call, { cache }) => {
      const messages = await newestMessages(deps.store.db, MESSAGES_IN_FEED)
      return answerText(call, 'atom', messageFeed(messages, baseUrlOf(call, deps.baseUrl)), cache)
    },
    showGuide: async (call, { cache }) => {
      const text = guide
        // Links stay on this service, whatever it is called.
        .replaceAll(']({base_url}', '](')
        .replaceAll('{base_url}', () => baseUrlOf(call, deps.baseUrl))
      return answerText(call, 'html', await guidePage(text), cache)
    },
    readGuide: (call, { cache }) => {
      const baseUrl = baseUrlOf(call, deps.baseUrl)
      return answerText(
        call,
        'text',
        guide.replaceAll('{base_url}', () => baseUrl),
        cache,
      )
    },
  })
}

/** The front page needs no archive. */
async function newestDay({ archive, now, admitRead }: SiteDeps): Promise<HeldManifest | null> {
  try {
    await admitRead()
    const today = dayOf(now())
    const day = (await archive.days()).filter((name) => name <= today).at(-1)
    const newest = day === undefined ? null : await archive.manifest(day)
    return newest && heldManifest(newest.manifest, await kindsIn(archive))
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof Problem) return null
    throw error
  }
}
