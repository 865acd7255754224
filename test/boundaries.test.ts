// The shape of the project as a test: what may import what, what may be called how, what lies at
// the top. A rule that no test holds is forgotten.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { code, type Import, importsOf, ROOT, sourceFiles } from './support/imports.ts'

const SOURCE_FOLDERS = ['protocol', 'archive', 'pipeline', 'server']

/** What a file may import of ours. */
type MayImport = (target: string, typeOnly: boolean) => boolean

const within = (...folders: string[]): MayImport => {
  return (target) => folders.some((folder) => target === folder || target.startsWith(`${folder}/`))
}

const anyOf = (...rules: MayImport[]): MayImport => {
  return (target, typeOnly) => rules.some((rule) => rule(target, typeOnly))
}

const typesOf = (folder: string): MayImport => {
  return (target, typeOnly) => typeOnly && within(folder)(target, typeOnly)
}

/** The archive's format, reading and shapes; not what writes it. */
const archiveReading = within(
  'archive/reader.ts',
  'archive/paths.ts',
  'archive/manifest.ts',
  'archive/snapshot.ts',
  'archive/csv.ts',
  'archive/errors.ts',
)

const rulesAndQueriesOf = (...features: string[]): MayImport => {
  return (target) => features.some((f) => target.startsWith(`server/${f}/`) && !isRoutes(target))
}

const FEATURES = ['board', 'investigations', 'reviews', 'moderation', 'modes', 'liveness']

/** The first rule whose path is the file's, or a folder above it, is the one that counts. */
const RULES: [path: string, rule: MayImport][] = [
  ['protocol/cli.ts', within('protocol', 'archive')],
  ['protocol', within('protocol')],
  ['archive/cli.ts', within('archive', 'protocol')],
  ['archive', anyOf(within('archive'), typesOf('protocol'))],
  ['pipeline', within('pipeline', 'protocol', 'archive', 'server/store')],
  ['server/store', within('server/store')],
  ['server/http', within('server/http', 'server/store')],
  ...['reviews', 'moderation'].map((feature): [string, MayImport] => [
    `server/${feature}`,
    anyOf(
      within(`server/${feature}`, 'server/store', 'server/http'),
      rulesAndQueriesOf('board', 'investigations'),
    ),
  ]),
  [
    'server/investigations',
    anyOf(
      within('server/investigations', 'server/store', 'server/http'),
      // A question and a contribution are messages of the board.
      rulesAndQueriesOf('board'),
    ),
  ],
  ...FEATURES.map((feature): [string, MayImport] => [
    `server/${feature}`,
    within(`server/${feature}`, 'server/store', 'server/http'),
  ]),
  [
    'server/transmissions',
    anyOf(within('server/transmissions', 'server/store', 'server/http'), archiveReading),
  ],
  [
    'server/pages',
    anyOf(
      within('server/pages', 'server/store', 'server/http', 'protocol'),
      rulesAndQueriesOf(...FEATURES, 'transmissions'),
      // A feature's routes say what a page must offer them.
      typesOf('server'),
      archiveReading,
    ),
  ],
  [
    'server/main.ts',
    anyOf(within('server', 'pipeline/schedule.ts', 'pipeline/folder.ts'), archiveReading),
  ],
  [
    'server/demo.ts',
    anyOf(within('server', 'pipeline/schedule.ts', 'pipeline/run.ts'), archiveReading),
  ],
  ['server', anyOf(within('server'), archiveReading)],
]

/** The files of the archive that touch a disk. */
const ARCHIVE_WITH_NODE = [
  'cli.ts',
  'durable.ts',
  'reader.ts',
  'repair.ts',
  'seal.ts',
  'staging.ts',
  'verify/folder.ts',
  'writer.ts',
].map((name) => `archive/${name}`)

const files = SOURCE_FOLDERS.flatMap(sourceFiles)
const imports = files.flatMap(importsOf)

describe('imports', () => {
  it('are found where they are', () => {
    expect(imports).toContainEqual({
      file: 'archive/snapshot.ts',
      target: 'protocol/index.ts',
      ours: true,
      typeOnly: true,
    })
    expect(imports).toContainEqual({
      file: 'archive/durable.ts',
      target: 'node:crypto',
      ours: false,
      typeOnly: false,
    })
  })

  it('keep to what each part may know of the others', () => {
    const broken = imports.filter(({ file, target, ours, typeOnly }) => {
      if (!ours) return false
      const rule = RULES.find(([path]) => file === path || file.startsWith(`${path}/`))
      return !rule?.[1](target, typeOnly)
    })
    expect(broken.map(sentence)).toEqual([])
  })

  it('of the protocol come from nowhere else, so that it runs in any browser', () => {
    const outside = imports.filter(({ file, ours }) => within('protocol')(file, false) && !ours)
    expect(outside.filter(({ file }) => file !== 'protocol/cli.ts').map(sentence)).toEqual([])
  })

  it('of node: and of packages stand in the archive only where they belong', () => {
    const outside = imports.filter(({ file, ours }) => within('archive')(file, false) && !ours)
    const broken = outside.filter(({ file, target }) =>
      target.startsWith('node:')
        ? !ARCHIVE_WITH_NODE.includes(file)
        : file !== 'archive/csv.ts' || !target.startsWith('csv-stringify'),
    )
    expect(broken.map(sentence)).toEqual([])
  })

  it('of h3 stand in routes and at the edge only', () => {
    const broken = imports.filter(
      ({ file, target }) =>
        target.startsWith('h3') &&
        !isRoutes(file) &&
        !within('server/app.ts', 'server/main.ts', 'server/http')(file, false),
    )
    expect(broken.map(sentence)).toEqual([])
  })

  it('of fluent-ffmpeg stand in one file', () => {
    const users = imports.filter(({ target }) => target.startsWith('fluent-ffmpeg'))
    expect([...new Set(users.map(({ file }) => file))]).toEqual(['pipeline/render/ffmpeg.ts'])
  })

  it('name our own files with their extension', () => {
    expect(imports.filter((i) => i.ours && !/\.(ts|json)$/.test(i.target)).map(sentence)).toEqual(
      [],
    )
  })
})

describe('clock, chance and environment', () => {
  it('have no place in the protocol', () => {
    const hidden = /\b(Date\.now|new Date\(\)|Math\.random|performance|process|globalThis|crypto)\b/
    const users = files.filter(
      (file) =>
        within('protocol')(file, false) && file !== 'protocol/cli.ts' && hidden.test(code(file)),
    )
    expect(users).toEqual([])
  })

  it('have no place in the archive, its command aside', () => {
    const hidden =
      /\b(Date\.now|new Date\(\)|Math\.random|performance|process\.env|random(Bytes|UUID))\b/
    const users = files.filter(
      (file) =>
        within('archive')(file, false) && file !== 'archive/cli.ts' && hidden.test(code(file)),
    )
    expect(users).toEqual([])
  })
})

describe('files', () => {
  it('have no names that could hold anything', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types)(\.ts|\/)/
    expect([...files, ...sourceFiles('test')].filter((file) => vague.test(file))).toEqual([])
  })

  it('are no barrels, the public door of the protocol aside', () => {
    const barrels = files.filter((file) => {
      const rest = code(file).replaceAll(
        /(?:import|export)\s[^'"]*from\s*'[^']+'|export\s*\{[^}]*\}/g,
        '',
      )
      return rest.trim() === '' || posix.basename(file) === 'index.ts'
    })
    expect(barrels).toEqual(['protocol/index.ts'])
  })

  it('say on their first line what they are for', () => {
    const silent = [...files, ...sourceFiles('test')].filter(
      (file) => !/^(#!.*\n)?(\/\/ |\/\*\*)/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(silent).toEqual([])
  })

  it('lie in the folders that the project has', () => {
    const shown = readdirSync(ROOT).filter((name) => !/^\.|^node_modules$|^data$|\.log$/.test(name))
    const expected = [
      'LICENSE',
      'README.md',
      'archive',
      'package-lock.json',
      'package.json',
      'pipeline',
      'protocol',
      'server',
      'test',
      'tsconfig.json',
    ]
    expect(shown.sort()).toEqual(expected)
  })
})

function isRoutes(file: string): boolean {
  return posix.basename(file) === 'routes.ts'
}

function sentence({ file, target }: Import): string {
  return `${file} imports ${target}`
}
