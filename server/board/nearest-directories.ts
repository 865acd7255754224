// Suggests existing directories near a missing path: its closest ancestor, and the alphabetical neighbours there.
import { directoryUrl } from '../wire/addresses.ts'
import type { Nearby } from '../wire/problem.ts'
import { type Branch, type DirectoryTree, firstAfter } from './directory-tree.ts'
import { parentPath } from './rules.ts'

export function nearestDirectories(tree: DirectoryTree, path: string): Nearby[] {
  let missing = path
  let above = parentPath(path)
  while (above !== undefined && !tree.at(above)) {
    missing = above
    above = parentPath(above)
  }
  const parent = above === undefined ? undefined : tree.at(above)
  const siblings = parent?.children ?? tree.roots
  return [...(parent ? [parent] : []), ...around(siblings, missing)].map((branch) => ({
    url: directoryUrl(branch.path),
    name: branch.path,
  }))
}

function around(siblings: readonly Branch[], path: string): Branch[] {
  const next = firstAfter(siblings, path)
  return siblings.slice(Math.max(0, next - 1), next + 1)
}
