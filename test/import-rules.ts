// The import rules: which of our files each part of the project may import. boundaries.test.ts enforces them.
import { posix } from 'node:path'

/** Whether a file may import one of our files. */
type MayImport = (target: string, typeOnly: boolean) => boolean

/** Allows these files and those in these folders. */
export const within = (...folders: string[]): MayImport => {
  return (target) => folders.some((folder) => target === folder || target.startsWith(`${folder}/`))
}

const anyOf = (...rules: MayImport[]): MayImport => {
  return (target, typeOnly) => rules.some((rule) => rule(target, typeOnly))
}

const typesOf = (folder: string): MayImport => {
  return (target, typeOnly) => typeOnly && within(folder)(target, typeOnly)
}

/** The protocol without its receiver, and the receiver. */
export const PROTOCOL_DOORS = ['protocol/index.ts', 'protocol/receiver/index.ts']

/** The archive's format, its reader and the drawing of a day, but not its writer. */
const archiveReading = within(
  'archive/base',
  'archive/drawing',
  'archive/format',
  'archive/reading',
  'archive/errors.ts',
  'archive/log',
  'archive/place/location.ts',
)

/** The modules that rules, queries, routes and commands of the server share. */
const vocabulary = within(
  'server/data',
  'server/database',
  'server/wire',
  'server/system.ts',
  'server/clock',
  'archive/base',
  'archive/format',
  // The length of a day.
  'protocol/index.ts',
)

const rulesAndQueriesOf = (...features: string[]): MayImport => {
  return (target) => features.some((f) => target.startsWith(`server/${f}/`) && !isRoutes(target))
}

/** Whether a file handles requests. */
export function isRoutes(file: string): boolean {
  return posix.basename(file) === 'routes.ts'
}

const FEATURES = ['board', 'investigations', 'reviews', 'moderation', 'modes', 'liveness']

/** A feature may import itself, the modules shared by all features, and the rules and queries of the named others. */
const feature = (name: string, ...others: string[]): [path: string, rule: MayImport] => [
  `server/${name}`,
  anyOf(
    within(`server/${name}`, 'server/http', 'server/publishing'),
    vocabulary,
    rulesAndQueriesOf(...others),
  ),
]

/** The first rule whose path is the file's, or a folder that contains it, applies. */
export const RULES: [path: string, rule: MayImport][] = [
  ['protocol', within('protocol')],
  ['archive', within('archive', ...PROTOCOL_DOORS)],
  [
    'pipeline',
    within(
      'pipeline',
      ...PROTOCOL_DOORS,
      'archive',
      'server/data',
      'server/database',
      'server/system.ts',
    ),
  ],
  // What joins the database and the archive: where they are, the records of days, what a restored database has lost.
  [
    'server/data',
    anyOf(
      within(
        'server/data',
        'server/database',
        'server/wire',
        'server/system.ts',
        'protocol/index.ts',
      ),
      archiveReading,
    ),
  ],
  [
    'server/database',
    within(
      'server/database',
      'server/system.ts',
      'archive/base',
      // The range of ids.
      'archive/format/scalars.ts',
    ),
  ],
  // There is one strict JSON parser, and one shape for times, hashes and addresses.
  ['server/wire', within('server/wire', 'archive/base/json.ts', 'archive/format/scalars.ts')],
  ['server/http', anyOf(within('server/http'), vocabulary)],
  [
    'server/publishing',
    anyOf(
      within('server/publishing', 'server/http'),
      vocabulary,
      // The mode decides whether a write is accepted.
      rulesAndQueriesOf('modes'),
    ),
  ],
  feature('board'),
  // A question and a contribution are messages of the board; an entry shows its review.
  feature('investigations', 'board', 'reviews'),
  // A review is an operator's action, and so recorded in the log of actions.
  feature('reviews', 'board', 'moderation'),
  feature('moderation', 'board', 'investigations'),
  // The page of a day shows the records of all features, in sections.
  feature('sections', 'investigations', 'reviews'),
  // The file of a day's records has those that the day has sealed, and the leaves of hidden messages.
  [
    'server/records',
    anyOf(
      within('server/records', 'server/http'),
      vocabulary,
      archiveReading,
      rulesAndQueriesOf('board', 'reviews'),
    ),
  ],
  feature('modes'),
  feature('liveness'),
  ['server/clock', vocabulary],
  [
    'server/metrics',
    anyOf(
      within('server/metrics', 'server/http', 'server/pages/frame/error.ts'),
      vocabulary,
      archiveReading,
      typesOf('server/publishing'),
      rulesAndQueriesOf('transmissions'),
    ),
  ],
  ['server/health', anyOf(within('server/health', 'server/http'), vocabulary, archiveReading)],
  [
    'server/transmissions',
    anyOf(
      within('server/transmissions', 'server/http'),
      vocabulary,
      archiveReading,
      // The page of a day shows what was written on it.
      rulesAndQueriesOf('sections', 'records'),
    ),
  ],
  [
    'server/pages',
    anyOf(
      within('server/pages', 'server/http', 'protocol'),
      vocabulary,
      rulesAndQueriesOf(...FEATURES, 'sections', 'transmissions'),
      // Routes declare the types of the pages that they use.
      typesOf('server'),
      archiveReading,
    ),
  ],
  ['server/service.ts', anyOf(within('server', 'pipeline/schedule.ts'), archiveReading)],
  ['server/demo', within('server', 'archive/base', 'protocol/index.ts')],
  ['server', anyOf(within('server', 'protocol/index.ts'), archiveReading)],
]

/** The files of the archive that may import node: modules. */
export const ARCHIVE_WITH_NODE = [
  'http/client.ts',
  'http/exchange.ts',
  'place/folder-names.ts',
  'mirror/download.ts',
  'mirror/folder.ts',
  'mirror/checked-file.ts',
  'mirror/mirror.ts',
  'mirror/day-records.ts',
  'mirror/known-records.ts',
  'verify/log.ts',
  'verify/receipt.ts',
  'place/folder.ts',
  'base/durable.ts',
  'base/folders.ts',
  'base/command-line.ts',
  'base/terminal.ts',
  'base/terminal-text.ts',
  'log/new-signing-keys.ts',
  'base/regular-file.ts',
  'log/signing-keys.ts',
].map((name) => `archive/${name}`)
