// Finds the imports of the project's source files by parsing their text.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

export interface Import {
  file: string
  /** For our own files the path from the root, otherwise the package or `node:` module. */
  target: string
  ours: boolean
  /** Whether the import disappears when types are stripped. */
  typeOnly: boolean
  /** Whether the file is loaded only once a call asks for it. */
  lazy: boolean
}

/** Returns the TypeScript files in a folder and its subfolders, as paths from the root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => posix.join(entry.parentPath.slice(ROOT.length + 1), entry.name))
}

const STATEMENT = /^(?:import|export)\s+([^'"`;]*?)\s*from\s*'([^']+)'|^import\s*'([^']+)'/gm
const CALL = /\b(?:import|require|require\.resolve)\(\s*['"`]([^'"`]+)['"`]\s*\)/g

export function importsOf(file: string): Import[] {
  const text = code(file)
  const statements = [...text.matchAll(STATEMENT)].map(([, clause = '', from, bare]) =>
    toImport(file, (from ?? bare) as string, { typeOnly: isTypeOnly(clause), lazy: false }),
  )
  const calls = [...text.matchAll(CALL)].map(([, name]) =>
    toImport(file, name as string, { typeOnly: false, lazy: true }),
  )
  return [...statements, ...calls]
}

const imported = new Map<string, Import[]>()

/**
 * Our own files that a file imports, through others too, and itself.
 * @param isFollowed whether an import counts; by default, if it is not of types only
 */
export function reachedFrom(start: string, isFollowed = (i: Import) => !i.typeOnly): Set<string> {
  const reached = new Set([start])
  for (const file of reached) {
    const ours =
      imported.get(file) ?? importsOf(file).filter((i) => i.ours && /\.ts$/.test(i.target))
    imported.set(file, ours)
    for (const i of ours) if (isFollowed(i)) reached.add(i.target)
  }
  return reached
}

function toImport(file: string, name: string, how: Pick<Import, 'typeOnly' | 'lazy'>): Import {
  const ours = name.startsWith('.')
  const target = ours ? posix.join(dirname(file), name) : name
  return { file, target, ours, ...how }
}

/** Whether an import clause is `type X`, or braces in which every name is a type. */
function isTypeOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true
  const named = /^\{([^}]*)\}$/.exec(clause.trim())?.[1]
  return named?.split(',').every((name) => /^\s*(type\s.*)?$/s.test(name)) ?? false
}

/** Returns the text of a file without the comments that are on lines of their own. */
export function code(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}
