// The tree of visible directories with their message counts, and the pages that show it.

/** Days of a spark line, today included. */
export const SPARK_DAYS = 30

export interface Branch {
  path: string
  parent: Branch | undefined
  /** In byte order of their paths. */
  children: Branch[]
  /** Visible messages in the directory itself. */
  here: number
  /** Visible messages in all directories below it. */
  below: number
  /** Publication time of the newest message here or below [ms since 1970]; 0 if there is none. */
  lastAt: number
  /** The id of the newest message here or below; 0 if there is none. */
  newest: bigint
  /** The id of the newest message here; 0 if there is none. */
  newestHere: bigint
  /** Messages here and below, per day. */
  days: DayCounts
}

export interface DailyMessages {
  directory_id: bigint
  /** Days since 1970. */
  day: bigint
  messages: bigint
  /** Publication time of the newest [ms since 1970]. */
  last_at: bigint
  newest: bigint
}

export class DirectoryTree {
  readonly roots: Branch[] = []
  /** The largest directory id in the tree. */
  lastId = 0n
  readonly #byId = new Map<bigint, Branch>()
  readonly #byPath = new Map<string, Branch>()
  readonly #unsorted = new Set<Branch[]>()

  /** Adds a directory; its parent must have been added before. */
  add({ id, path, parentId }: { id: bigint; path: string; parentId: bigint | null }): void {
    const parent = parentId === null ? undefined : this.#byId.get(parentId)
    const siblings = parent?.children ?? this.roots
    const counts = {
      here: 0,
      below: 0,
      lastAt: 0,
      newest: 0n,
      newestHere: 0n,
      days: new DayCounts(),
    }
    const branch: Branch = { path, parent, children: [], ...counts }
    siblings.push(branch)
    this.#unsorted.add(siblings)
    this.#byId.set(id, branch)
    this.#byPath.set(path, branch)
    if (id > this.lastId) this.lastId = id
  }

  /** Restores the order of siblings after add(). */
  sort(): void {
    // Paths are ASCII, so code units compare like bytes.
    for (const siblings of this.#unsorted) siblings.sort((a, b) => (a.path < b.path ? -1 : 1))
    this.#unsorted.clear()
  }

  /** Counts messages in their directory and in all of its ancestors. */
  count({ directory_id, newest, ...row }: DailyMessages): void {
    const branch = this.#byId.get(directory_id)
    if (!branch) return
    const messages = Number(row.messages)
    branch.here += messages
    if (newest > branch.newestHere) branch.newestHere = newest
    for (let at: Branch | undefined = branch; at; at = at.parent) {
      if (at !== branch) at.below += messages
      at.lastAt = Math.max(at.lastAt, Number(row.last_at))
      if (newest > at.newest) at.newest = newest
      at.days.add(Number(row.day), messages)
    }
  }

  at(path: string): Branch | undefined {
    return this.#byPath.get(path)
  }
}

/** The id of the message that stands for a directory: its newest, or the newest below if it has none; 0 without any. */
export const quotedOf = ({ newestHere, newest }: Branch): bigint => newestHere || newest

/** Message counts of the SPARK_DAYS days that end with the latest counted day. */
class DayCounts {
  /** Indexed by day modulo SPARK_DAYS; allocated with the first message. */
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

  /** Returns the counts of the SPARK_DAYS days that end with `day`, oldest first. */
  upTo(day: number): number[] {
    return Array.from({ length: SPARK_DAYS }, (_, i) => {
      const at = day - SPARK_DAYS + 1 + i
      return at > this.#last - SPARK_DAYS && at <= this.#last
        ? (this.#ring?.[at % SPARK_DAYS] ?? 0)
        : 0
    })
  }
}

export interface TreeRow {
  branch: Branch
  /** 0 at the first level. */
  depth: number
  /** Children that have no row of their own, because there are too many. */
  folded: number
}

export type TreePage = ReturnType<typeof treePage>

/** Children shown for a directory of the first level, and of the second; deeper ones show none. */
const CHILDREN_SHOWN = [6, 3]
/** Rows after which a page starts no further tree. */
const PAGE_ROWS = 40

/**
 * Returns the first-level directories after a path, each with its subtree.
 * @param limit the maximum number of first-level directories
 */
export function treePage(
  { roots }: DirectoryTree,
  { after, limit }: { after: string; limit: number },
) {
  const rest = roots.slice(firstAfter(roots, after))
  const rows: TreeRow[] = []
  let shown = 0
  while (shown < rest.length && shown < limit && rows.length < PAGE_ROWS)
    rows.push(...rowsOf(rest[shown++] as Branch, 0))
  /** Path of the last first-level directory on the page: the `after` of the next one. */
  const last = rest[shown - 1]?.path ?? after
  return { rows, last, hasMore: shown < rest.length }
}

/** Returns the index of the first sibling after a path, in byte order. */
export function firstAfter(siblings: readonly Branch[], after: string): number {
  const found = siblings.findIndex(({ path }) => path > after)
  return found === -1 ? siblings.length : found
}

export type ChildPage = ReturnType<typeof childPage>

/** Returns the children of a directory after a path, without theirs. */
export function childPage(
  branch: Branch | undefined,
  { after, limit }: { after: string; limit: number },
) {
  const rest = branch?.children.slice(firstAfter(branch.children, after)) ?? []
  const children = rest
    .slice(0, limit)
    .map((child) => ({ branch: child, depth: 1, folded: child.children.length }))
  return { children, hasMoreChildren: rest.length > limit }
}

function rowsOf(branch: Branch, depth: number): TreeRow[] {
  const { children } = branch
  const shown = children.slice(0, CHILDREN_SHOWN[depth] ?? 0)
  const row = { branch, depth, folded: children.length - shown.length }
  return [row, ...shown.flatMap((child) => rowsOf(child, depth + 1))]
}
