// A small board for moderation tests, with the view that the rules predict and the view that every read returns.
import { dirname } from 'node:path'
import { idsOf } from '../../support/publish.ts'
import type { TestService } from '../../support/service.ts'

/** Paths that a naive prefix comparison would confuse: `a` covers only itself and paths that begin with `a/`. */
export const PATHS: readonly string[] = [
  'a',
  'a/b',
  'a/b/c',
  'a/b_',
  'a-b',
  'a.b',
  'a0',
  'ab',
  'ab/b',
]

export interface Message {
  id: bigint
  directory: string
  investigation: bigint | null
}

export interface Investigation {
  id: bigint
  root: bigint
  directory: string
}

export interface World {
  messages: Message[]
  investigations: Investigation[]
  /** An investigation that no test hides, used to check links. */
  anchor: bigint
}

export type Target =
  | { kind: 'directory'; name: string }
  | { kind: 'message' | 'investigation'; name: bigint }

/** A message in each directory, an investigation with three contributions in some. */
export async function buildWorld(service: TestService): Promise<World> {
  const { publish } = service
  const world: World = { messages: [], investigations: [], anchor: 0n }
  await publish.directory('anchor')
  world.anchor = (await publish.investigation('anchor')).id
  for (const directory of PATHS) {
    await publish.directory(directory)
    world.messages.push({ id: await publish.message(directory), directory, investigation: null })
    if (!['a', 'a/b/c', 'a-b', 'ab'].includes(directory)) continue
    const { id, root } = await publish.investigation(directory, {
      sources: [{ url: 'https://a.example/' }],
    })
    world.investigations.push({ id, root, directory })
    world.messages.push({ id: root, directory, investigation: id })
    for (const kind of ['observation', 'attempt', 'result']) {
      const entry = await publish.contribution(id, { kind })
      world.messages.push({ id: entry, directory, investigation: id })
    }
  }
  return world
}

export const targetsOf = (world: World): Target[] => [
  ...PATHS.map((name): Target => ({ kind: 'directory', name })),
  ...world.investigations.map(({ id }): Target => ({ kind: 'investigation', name: id })),
  ...world.messages.map(({ id }): Target => ({ kind: 'message', name: id })),
]

export const keyOf = ({ kind, name }: Target): string => `${kind} ${name}`

/** The visible part of a world. */
export interface View {
  directories: string[]
  messages: bigint[]
  investigations: bigint[]
}

/** Applies the rules of API.md 8.1 to the set of records that are hidden themselves. */
export function expectedView(world: World, hidden: ReadonlySet<string>): View {
  const prefixes = (path: string) =>
    path.split('/').map((_, i, segments) => segments.slice(0, i + 1).join('/'))
  const openDirectory = (path: string) =>
    prefixes(path).every((prefix) => !hidden.has(`directory ${prefix}`))
  const openInvestigation = ({ id, root, directory }: Investigation) =>
    openDirectory(directory) && !hidden.has(`investigation ${id}`) && !hidden.has(`message ${root}`)
  const investigations = world.investigations.filter(openInvestigation).map(({ id }) => id)
  return {
    directories: PATHS.filter(openDirectory),
    investigations,
    messages: world.messages
      .filter(({ id, directory, investigation }) => {
        const isOpen = investigation === null || investigations.includes(investigation)
        return !hidden.has(`message ${id}`) && openDirectory(directory) && isOpen
      })
      .map(({ id }) => id),
  }
}

/** Reads every list and every directory, and tries to link to every message, as one value that is comparable with everythingOf(). */
export async function readEverything(service: TestService, world: World) {
  const { client } = service
  const listed = async (path: string) => idsOf(await client.get(path))
  const directories = (await client.get('/api/v1/directories?limit=100')).json as {
    directories: { path: string }[]
  }
  return {
    directories: directories.directories.map(({ path }) => path),
    children: await mapOf(PATHS, async (path) => {
      const { json } = await client.get(`/d/${path}`, { accept: 'application/json' })
      return (json as { directories?: { path: string }[] }).directories?.map((child) => child.path)
    }),
    messages: await listed('/api/v1/messages?limit=100'),
    byDirectory: await mapOf(PATHS, async (path) => {
      const reply = await client.get(`/api/v1/messages?directory=${path}&limit=100`)
      return reply.status === 200 ? idsOf(reply) : undefined
    }),
    investigations: await listed('/api/v1/investigations?limit=100'),
    details: await mapOf(world.investigations, async ({ id }) => {
      const reply = await client.get(`/api/v1/investigations/${id}`)
      return reply.status === 200 ? idsOf(reply) : undefined
    }),
    linkable: await filterOf(idsIn(world), (id) => isLinkable(service, world.anchor, id)),
  }
}

/** Returns what readEverything() must return for a view. */
export function everythingOf(world: World, view: View): Awaited<ReturnType<typeof readEverything>> {
  const shown = world.messages.filter(({ id }) => view.messages.includes(id))
  const anchored = [ANCHOR_ROOT, ...view.messages]
  const entriesOf = ({ id, root }: Investigation) =>
    shown.filter((item) => item.investigation === id && item.id !== root).map((item) => item.id)
  return {
    directories: [...view.directories, 'anchor'].sort(),
    children: PATHS.map((path) =>
      view.directories.includes(path)
        ? view.directories.filter((child) => dirname(child) === path).sort()
        : undefined,
    ),
    messages: anchored,
    byDirectory: PATHS.map((path) => {
      const ids = shown.filter((item) => item.directory === path).map((item) => item.id)
      return ids.length === 0 ? undefined : ids
    }),
    investigations: [world.anchor, ...view.investigations],
    details: world.investigations.map((item) =>
      view.investigations.includes(item.id) ? entriesOf(item) : undefined,
    ),
    linkable: view.messages,
  }
}

/** The anchor's question is the first message. */
const ANCHOR_ROOT = 1n

const idsIn = (world: World): bigint[] => world.messages.map(({ id }) => id)

/** Sends a second link with a missing target, so that nothing is created; the error names the first missing target. */
async function isLinkable(service: TestService, anchor: bigint, id: bigint): Promise<boolean> {
  const links = [id, 999_999n].map((message_id) => ({ message_id, relation: 'extends' }))
  const request = { kind: 'result', body: 'b', links }
  const reply = await service.client.post(`/api/v1/investigations/${anchor}/contributions`, request)
  if (reply.code !== 'link_not_found') throw new Error(reply.text)
  return reply.message?.startsWith('links[1]') ?? false
}

async function filterOf<T>(items: readonly T[], keep: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(keep))
  return items.filter((_, i) => kept[i])
}

const mapOf = <T, U>(items: readonly T[], read: (item: T) => Promise<U>): Promise<U[]> =>
  Promise.all(items.map(read))
