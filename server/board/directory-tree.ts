// All visible directories as a tree, each with how much is written in it and below it.

/** Days of a spark line, today included. */
export const SPARK_DAYS = 30

/** A directory with what is counted of it. */
export interface Branch {
  path: string
  parent: Branch | undefined
  /** In the order of their paths' bytes. */
  children: Branch[]
  /** Visible messages in the directory itself. */
  here: number
  /** Visible messages in all directories below it. */
  below: number
  /** When the newest message here or below was published [ms since 1970]; 0 without any. */
  lastAt: number
  /** Messages here and below, by day. */
  days: DayCounts
}

/** Messages of one directory on one day. */
export interface Counted {
  directoryId: bigint
  /** Days since 1970. */
  day: number
  messages: number
  /** When the newest of them was published [ms since 1970]. */
  lastAt: number
}

export class DirectoryTree {
  readonly roots: Branch[] = []
  /** The greatest id of a directory in the tree. */
  lastId = 0n
  readonly #byId = new Map<bigint, Branch>()
  readonly #byPath = new Map<string, Branch>()
  readonly #unsorted = new Set<Branch[]>()

  /** Adds a directory, after its parent. */
  add({ id, path, parentId }: { id: bigint; path: string; parentId: bigint | null }): void {
    const parent = parentId === null ? undefined : this.#byId.get(parentId)
    const siblings = parent?.children ?? this.roots
    const counts = { here: 0, below: 0, lastAt: 0, days: new DayCounts() }
    const branch: Branch = { path, parent, children: [], ...counts }
    siblings.push(branch)
    this.#unsorted.add(siblings)
    this.#byId.set(id, branch)
    this.#byPath.set(path, branch)
    if (id > this.lastId) this.lastId = id
  }

  /** Brings the siblings that were added into their order. */
  sort(): void {
    // Paths are ASCII: code units compare as bytes do.
    for (const siblings of this.#unsorted) siblings.sort((a, b) => (a.path < b.path ? -1 : 1))
    this.#unsorted.clear()
  }

  /** Adds messages, and to all directories above theirs. */
  count({ directoryId, day, messages, lastAt }: Counted): void {
    const branch = this.#byId.get(directoryId)
    if (!branch) return
    branch.here += messages
    for (let at: Branch | undefined = branch; at; at = at.parent) {
      if (at !== branch) at.below += messages
      at.lastAt = Math.max(at.lastAt, lastAt)
      at.days.add(day, messages)
    }
  }

  at(path: string): Branch | undefined {
    return this.#byPath.get(path)
  }
}

/** Counts of the last SPARK_DAYS days on which something was counted. */
class DayCounts {
  /** By the day's remainder; nothing is kept for what never had a message. */
  #ring: Uint32Array | undefined
  #last = 0

  add(day: number, count: number): void {
    this.#ring ??= new Uint32Array(SPARK_DAYS)
    if (day <= this.#last - SPARK_DAYS) return
    if (day >= this.#last + SPARK_DAYS) this.#ring.fill(0)
    else
      for (let skipped = this.#last + 1; skipped <= day; skipped++)
        this.#ring[skipped % SPARK_DAYS] = 0
    this.#last = Math.max(this.#last, day)
    this.#ring[day % SPARK_DAYS] = (this.#ring[day % SPARK_DAYS] ?? 0) + count
  }

  /** Of SPARK_DAYS days up to one, the oldest first. */
  upTo(day: number): number[] {
    return Array.from({ length: SPARK_DAYS }, (_, i) => {
      const at = day - SPARK_DAYS + 1 + i
      return at > this.#last - SPARK_DAYS && at <= this.#last
        ? (this.#ring?.[at % SPARK_DAYS] ?? 0)
        : 0
    })
  }
}

/** A line of the tree. */
export interface TreeRow {
  branch: Branch
  /** Levels below the first of the tree. */
  depth: number
  /** Children that are not lines of their own, because there are too many. */
  folded: number
}

export interface TreePage {
  rows: TreeRow[]
  /** The last of the first level, after which the next page goes on. */
  last: string
  hasMore: boolean
}

/** Children shown of a directory of the first level, and of one of the second; below them none. */
const CHILDREN_SHOWN = [6, 3]
/** Lines after which a page begins no other tree. */
const PAGE_ROWS = 40

/**
 * The trees of the first level after a path.
 * @param limit trees at most
 */
export function treePage(
  { roots }: DirectoryTree,
  { after, limit }: { after: string; limit: number },
): TreePage {
  const left = roots.slice(firstAfter(roots, after))
  const rows: TreeRow[] = []
  let shown = 0
  while (shown < left.length && shown < limit && rows.length < PAGE_ROWS)
    rows.push(...rowsOf(left[shown++] as Branch, 0))
  return { rows, last: left[shown - 1]?.path ?? after, hasMore: shown < left.length }
}

function firstAfter(roots: readonly Branch[], after: string): number {
  const found = roots.findIndex(({ path }) => path > after)
  return found === -1 ? roots.length : found
}

function rowsOf(branch: Branch, depth: number): TreeRow[] {
  const { children } = branch
  const shown = children.slice(0, CHILDREN_SHOWN[depth] ?? 0)
  const row = { branch, depth, folded: children.length - shown.length }
  return [row, ...shown.flatMap((child) => rowsOf(child, depth + 1))]
}
