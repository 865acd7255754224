// The import rules: which of our files each part of the project may import. boundaries.test.ts enforces them.
import { posix } from 'node:path'

/** Whether a file may import one of our files. */
type MayImport = (target: string, typeOnly: boolean) => boolean

/** Allows these files and those in these folders. */
export const within = (...folders: string[]) => {
  return (target: string) =>
    folders.some((folder) => target === folder || target.startsWith(`${folder}/`))
}

const typesOf = (folder: string): MayImport => {
  return (target, typeOnly) => typeOnly && within(folder)(target)
}

/** The protocol without its receiver, the combination of several receptions, and the receiver. */
export const PROTOCOL_DOORS = [
  'protocol/index.ts',
  'protocol/receiver/combine.ts',
  'protocol/receiver/index.ts',
] as const

/** The archive's format, its places, its reader and the drawing of a day, but not its writer. */
const archiveReading = within(
  'archive/base',
  'archive/drawing',
  'archive/format',
  'archive/log',
  'archive/place',
  'archive/reading',
)

/** The protocol without its receiver, which only the page of the decoder loads. */
const fields = within(PROTOCOL_DOORS[0])

/** The modules that rules, queries, routes and commands of the server share. */
const shared = within(
  'server/clock',
  'server/data',
  'server/database',
  'server/system',
  'server/wire',
  'archive/base',
  'archive/format',
)
const vocabulary: MayImport = (target) => shared(target) || fields(target)

const rulesAndQueriesOf = (...features: string[]): MayImport => {
  return (target) => features.some((f) => target.startsWith(`server/${f}/`) && !isRoutes(target))
}

/** Whether a file handles requests. */
function isRoutes(file: string): boolean {
  return posix.basename(file) === 'routes.ts'
}

const FEATURES = ['board', 'search', 'investigations', 'reviews', 'moderation', 'modes', 'liveness']

/** A feature may import the modules shared by all features, and the rules and queries of the named others. */
const feature = (name: string, ...others: string[]): Rule => [
  `server/${name}`,
  within('server/http', 'server/publishing'),
  vocabulary,
  rulesAndQueriesOf(...others),
]

/** What the files of a folder, or a file, may import besides that folder. */
type Rule = [path: string, ...MayImport[]]

/** The first rule whose path is the file's, or a folder that contains it, applies. */
const RULES: Rule[] = [
  ['protocol'],
  ['archive', within(...PROTOCOL_DOORS, 'package.json')],
  [
    'pipeline',
    within(...PROTOCOL_DOORS, 'archive', 'server/data', 'server/database', 'server/system'),
  ],
  // What joins the database and the archive: where they are, the records of days, what a restored database has lost.
  [
    'server/data',
    within('server/database', 'server/wire', 'server/system'),
    fields,
    archiveReading,
  ],
  ['server/database', within('server/system', 'archive/base', 'archive/format')],
  // There is one strict JSON parser, and one shape for times, hashes and addresses.
  ['server/wire', within('archive/base', 'archive/format')],
  ['server/system', within('archive/base')],
  ['server/http', vocabulary],
  // The mode decides whether a write is accepted.
  ['server/publishing', within('server/http'), vocabulary, rulesAndQueriesOf('modes')],
  feature('board'),
  // What is found are messages of the board.
  feature('search', 'board', 'modes'),
  // A question and a contribution are messages of the board; an entry shows its review.
  feature('investigations', 'board', 'reviews'),
  // A review is an operator's action, and so recorded in the log of actions.
  feature('reviews', 'board', 'moderation'),
  feature('moderation', 'board', 'investigations'),
  // The page of a day shows the records of all features, in sections.
  feature('sections', 'board', 'investigations', 'reviews'),
  // The file of a day's records has those that the day has sealed, and the leaves of hidden messages.
  [
    'server/records',
    within('server/http'),
    vocabulary,
    archiveReading,
    rulesAndQueriesOf('board', 'reviews'),
  ],
  feature('modes'),
  feature('liveness'),
  ['server/clock', vocabulary],
  [
    'server/metrics',
    within('server/http', 'server/health', 'server/pages/frame'),
    vocabulary,
    archiveReading,
    typesOf('server/publishing'),
    rulesAndQueriesOf('transmissions'),
  ],
  ['server/health', within('server/http'), vocabulary, archiveReading],
  [
    'server/transmissions',
    within('server/http'),
    vocabulary,
    archiveReading,
    // The page of a day shows what was written on it.
    rulesAndQueriesOf('sections', 'records'),
  ],
  // A message is checked in the browser as the command checks it.
  ['server/pages/static', within('protocol', 'archive/http', 'archive/verify'), archiveReading],
  [
    'server/pages',
    within('server/http', 'protocol'),
    vocabulary,
    rulesAndQueriesOf(...FEATURES, 'sections', 'transmissions'),
    // Routes declare the types of the pages that they use.
    typesOf('server'),
    archiveReading,
  ],
  ['server/demo', within('server', 'archive/base'), fields],
  // The release is made of the pages' scripts and the package of readers.
  ['server/deploy', within('server/pages', 'archive/base')],
  ['server/operator', within('server'), fields, archiveReading],
  ['server/openapi', within('server'), fields, archiveReading],
  // The start joins the server and the schedule of runs.
  ['server', within('pipeline/schedule'), fields, archiveReading],
]

/** Whether a file may import another one of ours. */
export function mayImport(file: string, target: string, typeOnly: boolean): boolean {
  const [path = '', ...rules] = RULES.find(([path]) => within(path)(file)) ?? []
  return within(path)(target) || rules.some((rule) => rule(target, typeOnly))
}

/**
 * What each folder of the archive may import from outside; `node:` stands for all modules of Node. The others only
 * compute, or read and write through these.
 */
export const ARCHIVE_OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  'archive/base': ['node:'],
  'archive/place': ['node:', 'aws4fetch'],
  'archive/http': ['node:'],
  'archive/format': ['node:crypto', 'zod', 'csv-stringify/sync'],
  'archive/log': ['node:crypto'],
}
