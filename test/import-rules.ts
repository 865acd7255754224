// What each part of the project may import of the others: the table that boundaries.test.ts holds.
import { posix } from 'node:path'

/** What a file may import of ours. */
type MayImport = (target: string, typeOnly: boolean) => boolean

/** These files, and those below these folders. */
export const within = (...folders: string[]): MayImport => {
  return (target) => folders.some((folder) => target === folder || target.startsWith(`${folder}/`))
}

const anyOf = (...rules: MayImport[]): MayImport => {
  return (target, typeOnly) => rules.some((rule) => rule(target, typeOnly))
}

const typesOf = (folder: string): MayImport => {
  return (target, typeOnly) => typeOnly && within(folder)(target, typeOnly)
}

/** The archive's format and its reader, and how a day is drawn; not what writes it. */
const archiveReading = within(
  'archive/drawing',
  'archive/format',
  'archive/reader.ts',
  'archive/errors.ts',
  'archive/blame.ts',
  'archive/optional-package.ts',
  'archive/log',
  'archive/place/location.ts',
)

/** What rules, queries, routes and commands of the server speak. */
const vocabulary = within(
  'server/store',
  'server/wire',
  'server/bounded-map.ts',
  'archive/format/scalars.ts',
)

const rulesAndQueriesOf = (...features: string[]): MayImport => {
  return (target) => features.some((f) => target.startsWith(`server/${f}/`) && !isRoutes(target))
}

/** Whether a file answers requests. */
export function isRoutes(file: string): boolean {
  return posix.basename(file) === 'routes.ts'
}

const FEATURES = ['board', 'investigations', 'reviews', 'moderation', 'modes', 'liveness']

/** A feature knows itself, what every feature may use, and the rules and queries of those named. */
const feature = (name: string, ...others: string[]): [path: string, rule: MayImport] => [
  `server/${name}`,
  anyOf(
    within(`server/${name}`, 'server/http', 'server/publishing'),
    vocabulary,
    rulesAndQueriesOf(...others),
  ),
]

/** The first rule whose path is the file's, or a folder above it, is the one that counts. */
export const RULES: [path: string, rule: MayImport][] = [
  ['protocol', within('protocol')],
  ['archive', within('archive', 'protocol/index.ts')],
  ['pipeline', within('pipeline', 'protocol/index.ts', 'archive', 'server/store')],
  // Where the archive lies, at which address, and what its log may be called.
  [
    'server/store/location.ts',
    within(
      'server/store',
      'archive/blame.ts',
      'archive/format/paths.ts',
      'archive/log/note.ts',
      'archive/place/location.ts',
    ),
  ],
  // The counters have the names of the frame.
  ['server/store/day-counts.ts', within('server/store', 'protocol/index.ts')],
  // What a message's leaf holds is stated by the format.
  ['server/store/recorded.ts', within('server/store', 'archive/log/records.ts')],
  // A driver that is not installed is reported as all such packages are.
  ['server/store/postgres-hosts.ts', within('server/store', 'archive/optional-package.ts')],
  ['server/store', within('server/store')],
  // JSON is read strictly in one way only; times, hashes and addresses have one shape.
  [
    'server/wire',
    within(
      'server/wire',
      'archive/format/json.ts',
      'archive/format/scalars.ts',
      // How large an id can be.
      'server/store/schema.ts',
    ),
  ],
  ['server/http', anyOf(within('server/http'), vocabulary)],
  [
    'server/publishing',
    anyOf(
      within('server/publishing', 'server/http'),
      vocabulary,
      // Whether a write is admitted now.
      rulesAndQueriesOf('modes'),
    ),
  ],
  feature('board'),
  // A question and a contribution are messages of the board; an entry shows its review.
  feature('investigations', 'board', 'reviews'),
  // A review is an operator's act, and so in the ledger.
  feature('reviews', 'board', 'moderation'),
  feature('moderation', 'board', 'investigations'),
  feature('modes'),
  feature('liveness'),
  [
    'server/metrics',
    anyOf(
      within('server/metrics', 'server/http', 'server/listen.ts', 'server/pages/error.ts'),
      vocabulary,
      archiveReading,
      typesOf('server/publishing'),
      rulesAndQueriesOf('transmissions'),
    ),
  ],
  ['server/health', anyOf(within('server/health', 'server/http'), vocabulary, archiveReading)],
  [
    'server/transmissions',
    anyOf(within('server/transmissions', 'server/http'), vocabulary, archiveReading),
  ],
  [
    'server/pages',
    anyOf(
      within('server/pages', 'server/http', 'protocol'),
      vocabulary,
      rulesAndQueriesOf(...FEATURES, 'transmissions'),
      // A feature's routes say what a page must offer them.
      typesOf('server'),
      archiveReading,
    ),
  ],
  [
    'server/service.ts',
    anyOf(within('server', 'pipeline/schedule.ts', 'pipeline/folder.ts'), archiveReading),
  ],
  ['server/operator', anyOf(within('server', 'pipeline/commands/terminal.ts'), archiveReading)],
  ['server/demo', within('server', 'pipeline/commands/terminal.ts')],
  // npm start reads its arguments as every command does.
  ['server/main.ts', within('server', 'pipeline/commands/terminal.ts')],
  // A wrong FFMPEG_PATH or SIGNING_KEY_FILE stops the start.
  [
    'server/config.ts',
    within(
      'server',
      'archive/base-address.ts',
      'archive/blame.ts',
      'pipeline/render/find-ffmpeg.ts',
      'pipeline/signing-keys.ts',
    ),
  ],
  ['server', anyOf(within('server'), archiveReading)],
]

/** The files of the archive that touch a disk. */
export const ARCHIVE_WITH_NODE = [
  'files.ts',
  'place/folder-names.ts',
  'place/memory.ts',
  'mirror/client.ts',
  'mirror/download.ts',
  'mirror/folder.ts',
  'verify/folder.ts',
  'verify/log.ts',
  'place/folder.ts',
  'writing/durable.ts',
  'writing/restore.ts',
  'writing/seal.ts',
  'writing/staging.ts',
  'writing/writer.ts',
].map((name) => `archive/${name}`)
