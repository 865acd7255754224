// README.md shows the house as it is: its folders, who may import whom, its links, and what two commands print.
import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command } from '../archive/base/terminal.ts'
import { decode } from '../pipeline/commands/decode.ts'
import { verify } from '../pipeline/commands/verify.ts'
import { mayImport, within } from './import-rules.ts'
import { executeHere } from './pipeline/commands/in-process.ts'
import { blocksOf, patternOf, readDocument } from './support/documents.ts'
import { ROOT, sourceFiles } from './support/imports.ts'
import { inFull } from './support/runs.ts'

const readme = readDocument('README.md')
const blocks = blocksOf(readme)
const blockNamed = (name: string) => blocks.find(({ note }) => note === name)?.text ?? ''

const PARTS = ['archive', 'pipeline', 'protocol', 'server']
const sources = PARTS.flatMap(sourceFiles)

/** The folders that a tree names: each line names some, followed by two spaces and what they are for. */
function foldersIn(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indentation = '', names = ''] = /^( *)(\S+(?: {2}\S+\/)*) {2}/.exec(line) ?? []
    const depth = indentation.length / 2
    const paths = names.split('  ').map((name) => posix.join(parents[depth - 1] ?? '', name))
    parents[depth] = paths[0] as string
    return paths.map((path) => path.replace(/\/$/, ''))
  })
}

describe('the tree of folders', () => {
  const named = foldersIn(blockNamed('tree'))

  test('each folder that README names exists', () => {
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([])
  })

  test('README names each folder with code, and the folders of tests that are not those of the code', () => {
    const folders = new Set([...sources, ...sourceFiles('test')].map(posix.dirname))
    const mirrored = new Set(named.map((folder) => `test/${folder}`))
    const missing = [...folders].filter(
      (folder) => !named.includes(folder) && !mirrored.has(folder),
    )
    expect(missing).toEqual([])
  })
})

describe('the picture of who may import whom', () => {
  const picture = blockNamed('imports')
  /** The parts from top to bottom; those on one line are next to each other. */
  const floors = picture
    .split('\n')
    .map((line) => [...line.matchAll(/│ {1,2}(\w+) {1,2}│/g)].map(([, part = '']) => part))
    .filter((parts) => parts.length > 0)
  const floorOf = (part: string) => floors.findIndex((parts) => parts.includes(part))

  /** The imports between two parts that the rules allow. */
  function allowed(from: string, to: string): { file: string; target: string }[] {
    const targets = sources.filter((file) => within(to)(file))
    return sources
      .filter((file) => within(from)(file))
      .flatMap((file) => {
        const own = targets.filter((target) => mayImport(file, target, false))
        return own.map((target) => ({ file, target }))
      })
  }

  /** The file, or the folder directly in a part, that a path belongs to: `data/`, `system/`. */
  const roomOf = (path: string) => path.replace(/^\w+\/([^/]+\/?).*$/, '$1')

  test('it shows every part once', () => {
    expect(floors.flat().sort()).toEqual(PARTS)
  })

  test('a part may import those below it, and none above it', () => {
    for (const from of PARTS)
      for (const to of PARTS)
        if (floorOf(from) !== floorOf(to))
          expect(allowed(from, to).length > 0, `${from} -> ${to}`).toBe(floorOf(from) < floorOf(to))
  })

  test('of the two on top, each may import what its arrow names', () => {
    const [, up = ''] = /(\S+), only for the start /.exec(picture) ?? []
    const upwards = allowed('server', 'pipeline')
    expect([...new Set(upwards.map(({ target }) => roomOf(target)))]).toEqual([up])
    // The start is in the server's own folder.
    expect([...new Set(upwards.map(({ file }) => posix.dirname(file)))]).toEqual(['server'])
    const [, down = ''] = /─┘ +(\S.*\S) +└─/.exec(picture) ?? []
    const rooms = new Set(allowed('pipeline', 'server').map(({ target }) => roomOf(target)))
    expect(down.split(', ').sort()).toEqual([...rooms].sort())
  })
})

test('every link to a file of this repository leads to one', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(ROOT, link)))).toEqual(
    [],
  )
})

inFull('verify and decode print what README shows', async () => {
  const sample = join('archive', 'vectors', 'sample')
  const [sound = ''] = readdirSync(join(ROOT, sample, '2026-11-18')).filter((name) =>
    name.endsWith('.wav'),
  )
  const commands: Record<string, [Command, string[]]> = {
    [`npm run verify -- ${sample}`]: [verify, [sample]],
    [`npm run decode -- ${sample}/2026-11-18/*.wav`]: [decode, [join(sample, '2026-11-18', sound)]],
  }
  for (const [line, [command, args]] of Object.entries(commands)) {
    const shown = blocks[blocks.findIndex(({ text }) => text === line) + 1]?.text ?? ''
    const { out } = await executeHere(command, args)
    expect(`${out}`.trim()).toMatch(patternOf(shown))
  }
})
