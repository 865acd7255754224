// Enforces the architecture: the import rules of import-rules.ts, single definitions, file names, and the top-level
// folders.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ARCHIVE_OUTSIDE, PROTOCOL_DOORS, RULES, within } from './import-rules.ts'
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
    const broken = imports.filter(({ file, target, ours, typeOnly }) => {
      if (!ours) return false
      const rule = RULES.find(([path]) => file === path || file.startsWith(`${path}/`))
      return !rule?.[1](target, typeOnly)
    })
    expect(broken.map(sentence)).toEqual([])
  })

  it('the protocol imports only its own files, so that it runs in any browser', () => {
    const outside = imports.filter(({ file, ours }) => within('protocol')(file, false) && !ours)
    expect(outside.map(sentence)).toEqual([])
  })

  it('only the listed folders of the archive import node: and packages', () => {
    const broken = imports.filter(({ file, target, ours }) => {
      if (ours || !within('archive')(file, false)) return false
      const allowed = ARCHIVE_OUTSIDE[posix.dirname(file)] ?? []
      return !allowed.some(
        (name) => target === name || (name === 'node:' && target.startsWith(name)),
      )
    })
    expect(broken.map(sentence)).toEqual([])
  })

  it('only the room of HTTP imports h3', () => {
    const broken = imports.filter(
      ({ file, target }) => target.startsWith('h3') && !within('server/http')(file, false),
    )
    expect(broken.map(sentence)).toEqual([])
  })

  it('one file imports fluent-ffmpeg', () => {
    const users = imports.filter(({ target }) => target.startsWith('fluent-ffmpeg'))
    expect([...new Set(users.map(({ file }) => file))]).toEqual(['pipeline/render/ffmpeg.ts'])
  })

  it('imports of our own files have an extension', () => {
    expect(imports.filter((i) => i.ours && !/\.(ts|json)$/.test(i.target)).map(sentence)).toEqual(
      [],
    )
  })
})

/** The strongly connected components of more than one file, and the files that import themselves, by Tarjan. */
function cyclesOf(graph: Map<string, string[]>): string[][] {
  const order = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): number => {
    const number = order.size
    order.set(file, number)
    open.push(file)
    let low = number
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, order.get(target) as number)
    }
    if (low === number) {
      const component = open.splice(open.indexOf(file))
      if (component.length > 1 || graph.get(file)?.includes(file)) cycles.push(component.sort())
    }
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles
}

describe('the floors', () => {
  /** The one import up: the start, in the server's own folder, joins the server and the schedule of runs. */
  const isStart = ({ file, target }: Import) =>
    posix.dirname(file) === 'server' && within('pipeline/schedule')(target, false)

  it('only the start of the service imports the pipeline', () => {
    const up = imports.filter(
      (i) => within('server')(i.file, false) && within('pipeline')(i.target, false),
    )
    expect(up.filter((i) => !isStart(i)).map(sentence)).toEqual([])
  })

  it('the server reaches the writer of the archive through no chain of imports', () => {
    const servers = files.filter((file) => within('server')(file, false))
    const writers = servers.flatMap((file) =>
      [...reachedFrom(file, (i) => !isStart(i))]
        .filter((target) => within('archive/writing', 'pipeline')(target, false))
        .map((target) => `${file} reaches ${target}`),
    )
    expect(writers).toEqual([])
  })

  const loading = (program: string, part: string, isFollowed: (i: Import) => boolean) =>
    [...reachedFrom(program, isFollowed)].filter((file) => within(part)(file, false))

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
  it('cycles are found, also through a third file', () => {
    const graph = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['b', 'e'], e: [], f: ['f', 'a'] }
    expect(cyclesOf(new Map(Object.entries(graph)))).toEqual([['a', 'b', 'c', 'd'], ['f']])
  })

  it('the files have no import cycles, not even of types', () => {
    const ours = imports.filter((found) => found.ours)
    const targets = (file: string) => ours.filter((i) => i.file === file).map((i) => i.target)
    expect(cyclesOf(new Map(files.map((file) => [file, targets(file)])))).toEqual([])
  })

  it('the folders of each part have no import cycles, not even of types', () => {
    /** The folder of a part that contains a file; a file directly in the part stands for itself. */
    const room = (file: string) => file.split('/').slice(0, 2).join('/')
    const graph = new Map<string, string[]>()
    for (const { file, target, ours } of imports) {
      const [from, to] = [room(file), room(target)]
      const isWithin = ours && target.split('/')[0] === file.split('/')[0] && from !== to
      if (isWithin) graph.set(from, [...(graph.get(from) ?? []), to])
    }
    expect(cyclesOf(graph)).toEqual([])
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
    const users = files.filter((file) => within('protocol')(file, false) && hidden.test(code(file)))
    expect(users).toEqual([])
  })
})

describe('single definitions', () => {
  /** The files that match a pattern outside imports and comments. */
  const containing = (pattern: RegExp, ...folders: string[]) =>
    files.filter((file) => within(...folders)(file, false) && pattern.test(withoutImports(file)))

  it('one file defines every Cache-Control header', () => {
    expect(containing(/cache-control/i, 'server/http')).toEqual(['server/http/answer.ts'])
    expect(containing(/max-age=/, ...SOURCE_FOLDERS)).toEqual(['server/http/answer.ts'])
  })

  it('one file defines every address and file name of the archive', () => {
    const address = /[/}]transmission(s|-media)\b/
    const name = /['"`]\.(incoming|video|writing|pipeline)|\}\.manifest\.json|[Dd]ay\}\.json/
    const home = ['archive/format/paths.ts']
    expect(containing(address, ...SOURCE_FOLDERS)).toEqual(home)
    expect(containing(name, ...SOURCE_FOLDERS)).toEqual(home)
  })

  it('one file builds the keys of the files of an archive', () => {
    const key = /`\$\{(?:\w*[dD]ay|\w*[fF]older(?:\(\w+\))?|\w+_FOLDER)\}\/\$\{/
    expect(containing(key, 'archive', 'pipeline')).toEqual(['archive/format/paths.ts'])
    expect(containing(/`\$\{\w*[dD]ay\}\/\$\{/, 'server')).toEqual([])
  })

  it('one function recognizes the errors of an archive', () => {
    expect(containing(/instanceof ArchiveError/, ...SOURCE_FOLDERS)).toEqual([
      'archive/base/errors.ts',
    ])
  })

  it('only the room of the database asks which engine it has', () => {
    const users = containing(/\bisSqlite\b/, ...SOURCE_FOLDERS)
    expect(users.filter((file) => !within('server/database')(file, false))).toEqual([])
  })

  it('one file builds the addresses of records', () => {
    const address = /['"`}]\/(d|messages|investigations)\/\$\{/
    expect(containing(address, ...SOURCE_FOLDERS)).toEqual([
      // The receipt of a message, whose address is of the archive's format.
      'archive/format/paths.ts',
      'server/wire/addresses.ts',
    ])
  })

  it('one file reads and writes settings, except for the modes, which are read together', () => {
    const query = /(selectFrom|insertInto|updateTable|deleteFrom)\('settings'\)/
    expect(containing(query, ...SOURCE_FOLDERS)).toEqual([
      'server/modes/queries.ts',
      'server/database/settings/settings.ts',
    ])
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
      within('test/bench', 'test/support/time.ts', 'test/support/raw.ts')(file, false)
    const broken = sourceFiles('test').filter((file) => !mayWait(file) && waiting.test(code(file)))
    expect(broken.filter((file) => file !== 'test/boundaries.test.ts')).toEqual([])
  })

  it('only the bench measures time, CPU time and memory, and no test asserts them', () => {
    const measuring =
      /\bperformance\.now|\bprocess\.(cpuUsage|memoryUsage|resourceUsage|hrtime)|VmRSS|expect\([^\n]*Date\.now/
    // The deadlines of time.ts only guard against a hang.
    const mayMeasure = within('test/bench', 'test/support/time.ts', 'test/boundaries.test.ts')
    const broken = sourceFiles('test').filter((file) => measuring.test(code(file)))
    expect(broken.filter((file) => !mayMeasure(file, false))).toEqual([])
  })

  it('tests take random numbers from seeds, so that each run is the same', () => {
    const users = sourceFiles('test').filter((file) => /\bMath\.random\b/.test(code(file)))
    const mayBeRandom = within('test/bench', 'test/boundaries.test.ts')
    expect(users.filter((file) => !mayBeRandom(file, false))).toEqual([])
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
