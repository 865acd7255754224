// Enforces the architecture: the import rules of import-rules.ts, single definitions, file names, and the top-level
// folders.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ARCHIVE_OUTSIDE, mayImport, PROTOCOL_DOORS, within } from './import-rules.ts'
import { code, type Import, importsOf, ROOT, reachedFrom, sourceFiles } from './support/imports.ts'

const SOURCE_FOLDERS = ['protocol', 'archive', 'pipeline', 'server']

const files = SOURCE_FOLDERS.flatMap(sourceFiles)
const imports = files.flatMap(importsOf)

describe('imports', () => {
  it('imports of each kind are found', () => {
    expect(imports).toContainEqual({
      file: 'server/pages/days/coverage.ts',
      target: 'archive/format/snapshot.ts',
      ours: true,
      typeOnly: true,
      lazy: false,
    })
    expect(imports).toContainEqual({
      file: 'archive/base/durable.ts',
      target: 'node:fs/promises',
      ours: false,
      typeOnly: false,
      lazy: false,
    })
  })

  it('each part imports only what it may depend on', () => {
    const broken = imports.filter(
      ({ file, target, ours, typeOnly }) => ours && !mayImport(file, target, typeOnly),
    )
    expect(broken.map(sentence)).toEqual([])
  })

  it('the protocol imports only its own files, so that it runs in any browser', () => {
    const outside = imports.filter(({ file, ours }) => within('protocol')(file) && !ours)
    expect(outside.map(sentence)).toEqual([])
  })

  it('only the listed folders of the archive import node: and packages', () => {
    const broken = imports.filter(({ file, target, ours }) => {
      if (ours || !within('archive')(file)) return false
      const allowed = ARCHIVE_OUTSIDE[posix.dirname(file)] ?? []
      return !allowed.some(
        (name) => target === name || (name === 'node:' && target.startsWith(name)),
      )
    })
    expect(broken.map(sentence)).toEqual([])
  })

  it.each([
    ['h3', 'server/http'],
    ['fluent-ffmpeg', 'pipeline/render/ffmpeg.ts'],
  ])('%s is imported in %s only', (name, place) => {
    const users = imports.filter(({ target }) => target.startsWith(name)).map(({ file }) => file)
    expect(users).not.toEqual([])
    expect(users.filter((file) => !within(place)(file))).toEqual([])
  })

  it('imports of our own files have an extension', () => {
    expect(imports.filter((i) => i.ours && !/\.(ts|json)$/.test(i.target)).map(sentence)).toEqual(
      [],
    )
  })
})

/** The files or folders that import themselves, through others too. */
function inCycles(edges: (readonly [from: string, to: string])[]): string[] {
  const graph = Map.groupBy(edges, ([from]) => from)
  const targets = (from: string) => (graph.get(from) ?? []).map(([, to]) => to)
  return [...graph.keys()].filter((start) => {
    const reached = new Set(targets(start))
    for (const from of reached) for (const to of targets(from)) reached.add(to)
    return reached.has(start)
  })
}

describe('the floors', () => {
  /** The one import up: the start, in the server's own folder, joins the server and the schedule of runs. */
  const isStart = ({ file, target }: Import) =>
    posix.dirname(file) === 'server' && within('pipeline/schedule')(target)

  it('only the start of the service imports the pipeline', () => {
    const up = imports.filter((i) => within('server')(i.file) && within('pipeline')(i.target))
    expect(up.filter((i) => !isStart(i)).map(sentence)).toEqual([])
  })

  it('the server reaches the writer of the archive through no chain of imports', () => {
    const servers = files.filter((file) => within('server')(file))
    const writers = servers.flatMap((file) =>
      [...reachedFrom(file, (i) => !isStart(i))]
        .filter((target) => within('archive/writing', 'pipeline')(target))
        .map((target) => `${file} reaches ${target}`),
    )
    expect(writers).toEqual([])
  })

  const loading = (program: string, part: string, isFollowed: (i: Import) => boolean) =>
    [...reachedFrom(program, isFollowed)].filter((file) => within(part)(file))

  it.each([
    ['pipeline/commands/verify.ts', 'server/database'],
    ['pipeline/commands/mirror.ts', 'server/database'],
    ['pipeline/commands/mirror.ts', 'protocol/receiver'],
    ['server/operator/main.ts', 'protocol/receiver'],
    ['server/main.ts', 'protocol/receiver'],
  ])('%s never loads %s', (program, part) => {
    expect(loading(program, part, (i) => !i.typeOnly)).toEqual([])
  })

  it.each([
    'archive/http',
    'archive/place/bucket.ts',
    'server/database/postgres/database.ts',
    'server/metrics',
  ])('the service loads %s only where it is used', (part) => {
    expect(loading('server/main.ts', part, (i) => !i.typeOnly && !i.lazy)).toEqual([])
    expect(loading('server/main.ts', part, (i) => !i.typeOnly)).not.toEqual([])
  })
})

describe('import cycles', () => {
  const ours = imports.filter((found) => found.ours)

  it('cycles are found, also through a third file', () => {
    const edges = 'ab bc bd ca db de ff fa'
      .split(' ')
      .map(([from = '', to = '']) => [from, to] as const)
    expect(inCycles(edges)).toEqual(['a', 'b', 'c', 'd', 'f'])
  })

  it('the files have no import cycles, not even of types', () => {
    expect(inCycles(ours.map(({ file, target }) => [file, target]))).toEqual([])
  })

  it('the folders of each part have no import cycles, not even of types', () => {
    /** The folder of a part that contains a file; a file directly in the part stands for itself. */
    const room = (file: string) => file.split('/').slice(0, 2).join('/')
    const edges = ours
      .filter(({ file, target }) => file.split('/')[0] === target.split('/')[0])
      .map(({ file, target }) => [room(file), room(target)] as const)
    expect(inCycles(edges.filter(([from, to]) => from !== to))).toEqual([])
  })
})

/** A clock (wall, monotonic or boot), a source of randomness, or the environment. */
const HIDDEN_INPUT =
  /\b(?:Date\.now|new Date\(\)|performance|(?:process\.)?hrtime|(?:process\.|os\.)?uptime|Math\.random|random(?:Bytes|UUID|Int)|process\.env)(?!\w)/g

/** The entry points, and what each of them reads to pass it on. */
const HIDDEN_INPUTS = {
  'pipeline/commands/reader.ts': ['process.env'],
  'pipeline/commands/snapshot.ts': ['Math.random', 'process.env'],
  'pipeline/commands/verify.ts': ['Math.random', 'process.env'],
  // Sets environment variables, the only settings that fontconfig reads.
  'pipeline/render/png.ts': ['process.env'],
  'server/demo/main.ts': ['process.env'],
  'server/deploy/release.ts': ['process.env'],
  'server/main.ts': ['process.env'],
  'server/operator/main.ts': ['Math.random', 'process.env'],
  // These five run in the browser.
  'server/pages/static/check/message.ts': ['Date.now'],
  'server/pages/static/decode/results.ts': ['new Date()'],
  'server/pages/static/listen/worklet.ts': ['Date.now'],
  'server/pages/static/enhance/since.ts': ['Date.now'],
  'server/pages/static/write/countdown.ts': ['performance'],
  'server/pages/static/write/receipts.ts': ['new Date()'],
  'server/system/system.ts': ['Date.now', 'performance', 'randomBytes', 'uptime'],
}

describe('clocks, randomness and environment', () => {
  it('only entry points read clocks, randomness and the environment', () => {
    const inputsOf = (file: string) => [...new Set(code(file).match(HIDDEN_INPUT))].sort()
    const found = files.map((file) => [file, inputsOf(file)] as const)
    expect(Object.fromEntries(found.filter(([, inputs]) => inputs.length > 0))).toEqual(
      HIDDEN_INPUTS,
    )
  })

  it('the protocol reads nothing of its environment, so that it runs in any browser', () => {
    const hidden = /\b(process|globalThis|crypto)\b/
    const users = files.filter((file) => within('protocol')(file) && hidden.test(code(file)))
    expect(users).toEqual([])
  })
})

describe('single definitions', () => {
  /** The files that match a pattern outside imports and comments. */
  const containing = (pattern: RegExp, ...folders: string[]) =>
    files.filter((file) => within(...folders)(file) && pattern.test(withoutImports(file)))

  const PATHS = 'archive/format/paths.ts'
  it.each<[what: string, pattern: RegExp, files: string[], folders?: string[]]>([
    ['the header Cache-Control', /cache-control/i, ['server/http/answer.ts'], ['server/http']],
    ['a lifetime in caches', /max-age=/, ['server/http/answer.ts']],
    ['an address of the archive', /[/}]transmission(s|-media)\b/, [PATHS]],
    [
      'a file name of the archive',
      /['"`]\.(incoming|video|writing|pipeline)|\}\.manifest\.json|[Dd]ay\}\.json/,
      [PATHS],
    ],
    [
      'a key of a file of an archive',
      /`\$\{(?:\w*[dD]ay|\w*[fF]older(?:\(\w+\))?|\w+_FOLDER)\}\/\$\{/,
      [PATHS],
      ['archive', 'pipeline'],
    ],
    ['a key of a file of an archive, in the server', /`\$\{\w*[dD]ay\}\/\$\{/, [], ['server']],
    ['a test for an error of the archive', /instanceof ArchiveError/, ['archive/base/errors.ts']],
    [
      'an address of a record',
      /['"`}]\/(d|messages|investigations)\/\$\{/,
      // The address of the receipt of a message is of the archive's format.
      [PATHS, 'server/wire/addresses.ts'],
    ],
    [
      'a query of settings, except for the modes, which are read together',
      /(selectFrom|insertInto|updateTable|deleteFrom)\('settings'\)/,
      ['server/modes/queries.ts', 'server/database/settings/settings.ts'],
    ],
  ])('only the known files have %s', (_, pattern, files, folders = SOURCE_FOLDERS) => {
    expect(containing(pattern, ...folders)).toEqual(files)
  })

  it('only the room of the database asks which engine it has', () => {
    const users = containing(/\bisSqlite\b/, ...SOURCE_FOLDERS)
    expect(users.filter((file) => !within('server/database')(file))).toEqual([])
  })

  it('every export is used by another file', () => {
    const all = [...files, ...sourceFiles('test')]
    const users = new Map<string, string[]>()
    for (const file of all)
      for (const word of new Set(code(file).match(/\w+/g)))
        users.set(word, [...(users.get(word) ?? []), file])
    const exported = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm
    const unused = files.flatMap((file) =>
      [...code(file).matchAll(exported)]
        .map(([, name = '']) => name)
        .filter((name) => users.get(name)?.every((user) => user === file))
        .map((name) => `${file}: ${name}`),
    )
    expect(unused).toEqual([])
  })
})

describe('time in tests', () => {
  it('tests wait only through support/time.ts, where each fixed wait states its reason', () => {
    const waiting = /(?<!')setTimeout|waitUntil/
    const mayWait = (file: string) =>
      within('test/bench', 'test/support/time.ts', 'test/support/raw.ts')(file)
    const broken = sourceFiles('test').filter((file) => !mayWait(file) && waiting.test(code(file)))
    expect(broken.filter((file) => file !== 'test/boundaries.test.ts')).toEqual([])
  })

  it('only the bench measures time, CPU time and memory, and no test asserts them', () => {
    const measuring =
      /\bperformance\.now|\bprocess\.(cpuUsage|memoryUsage|resourceUsage|hrtime)|VmRSS|expect\([^\n]*Date\.now/
    // The deadlines of time.ts only guard against a hang.
    const mayMeasure = within('test/bench', 'test/support/time.ts', 'test/boundaries.test.ts')
    const broken = sourceFiles('test').filter((file) => measuring.test(code(file)))
    expect(broken.filter((file) => !mayMeasure(file))).toEqual([])
  })

  it('tests take random numbers from seeds, so that each run is the same', () => {
    const users = sourceFiles('test').filter((file) => /\bMath\.random\b/.test(code(file)))
    const mayBeRandom = within('test/bench', 'test/boundaries.test.ts')
    expect(users.filter((file) => !mayBeRandom(file))).toEqual([])
  })
})

describe('files', () => {
  it('no file has a vague name', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types)(\.ts|\/)/
    expect([...files, ...sourceFiles('test')].filter((file) => vague.test(file))).toEqual([])
  })

  it('no file is a barrel, except the two doors of the protocol', () => {
    const barrels = files.filter((file) => {
      const rest = code(file).replaceAll(
        /(?:import|export)\s[^'"]*from\s*'[^']+'|export\s*\{[^}]*\}/g,
        '',
      )
      return rest.trim() === '' || posix.basename(file) === 'index.ts'
    })
    expect(barrels.sort()).toEqual(PROTOCOL_DOORS.filter((file) => file.endsWith('/index.ts')))
  })

  it('each file states its job on its first line', () => {
    const silent = [...files, ...sourceFiles('test')].filter(
      (file) => !/^(#!.*\n)?(\/\/ |\/\*\*)/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(silent).toEqual([])
  })

  it('the root contains only the known files and folders', () => {
    const shown = readdirSync(ROOT).filter((name) => !/^\.|^node_modules$|^data$|\.log$/.test(name))
    const expected = [
      'CHANGELOG.md',
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

function withoutImports(file: string): string {
  return code(file).replaceAll(/\bfrom\s*'[^']+'|\bimport\(\s*'[^']+'\s*\)/g, '')
}

function sentence({ file, target }: Import): string {
  return `${file} imports ${target}`
}
