// The effect of hiding and showing on every read (specification: States and transitions; API.md 8.1).
// Rules: API.md 8.1; COMMANDS.md 6.1-6.2.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { act, operated, operator } from '../../support/operator.ts'
import { runs } from '../../support/runs.ts'
import { startTestService } from '../../support/service.ts'
import {
  buildWorld,
  everythingOf,
  expectedView,
  type Investigation,
  keyOf,
  readEverything,
  type Target,
  targetsOf,
} from './world.ts'

/** The expected set of records that are hidden themselves. */
const hidden = new Map<string, Target>()

const service = await startTestService()
const world = await buildWorld(service)
afterEach(async () => {
  for (const target of [...hidden.values()]) await apply('show', target)
})

async function apply(what: 'hide' | 'show', target: Target): Promise<void> {
  await act(service, what, target.kind, target.name)
  if (what === 'hide') hidden.set(keyOf(target), target)
  else hidden.delete(keyOf(target))
}

async function expectAgreement(): Promise<void> {
  const view = expectedView(world, new Set(hidden.keys()))
  expect(await readEverything(service, world)).toEqual(everythingOf(world, view))
}

const directory = (name: string): Target => ({ kind: 'directory', name })
const message = (name: bigint): Target => ({ kind: 'message', name })
const first = () => world.investigations[0] as Investigation

const asked = (): Target => ({ kind: 'investigation', name: first().id })
const root = () => message(first().root)
const hiding = (target: Target): ['hide', Target] => ['hide', target]
const showing = (target: Target): ['show', Target] => ['show', target]

test.each<[what: string, acts: () => ['hide' | 'show', Target][]]>([
  [
    'hiding a directory hides exactly the records in and below it, and showing it restores them',
    () => [hiding(directory('a')), showing(directory('a'))],
  ],
  [
    'a directory that is hidden itself and by its parent needs both to be shown',
    () => [
      ...[hiding(directory('a/b')), hiding(directory('a'))],
      ...[showing(directory('a')), showing(directory('a/b'))],
    ],
  ],
  ['hiding an investigation hides its messages', () => [hiding(asked())]],
  [
    'an investigation that is hidden itself and by its root needs both to be shown',
    () => [hiding(asked()), hiding(root()), showing(root()), showing(asked())],
  ],
  ['hiding a contribution hides only that', () => [hiding(message(first().root + 2n))]],
  [
    'a hidden message stays hidden when its directory is shown again',
    () => [
      hiding(message(first().root + 1n)),
      hiding(directory(first().directory)),
      showing(directory(first().directory)),
    ],
  ],
])('%s, in every read', async (_, acts) => {
  for (const [what, target] of acts()) {
    await apply(what, target)
    await expectAgreement()
  }
})

test('of directories, hiding one hides those below it, and none whose path only begins like it', async () => {
  await apply('hide', directory('a'))
  const view = expectedView(world, new Set(hidden.keys()))
  expect(view.directories).toEqual(['a-b', 'a.b', 'a0', 'ab', 'ab/b'])
})

test('a hidden directory still occupies its path, and what is hidden accepts nothing', async () => {
  await apply('hide', directory('a/b'))
  await apply('hide', root())
  const contributions = `/api/v1/investigations/${first().id}/contributions`
  for (const [path, request, answer] of [
    ['/api/v1/messages', { directory: 'a/b/c' }, [404, 'directory_not_found']],
    ['/api/v1/investigations', { directory: 'a/b', title: 't' }, [404, 'directory_not_found']],
    ['/api/v1/directories', { path: 'a/b/new', body: undefined }, [404, 'parent_not_found']],
    ['/api/v1/directories', { path: 'a/b', body: undefined }, [409, 'directory_exists']],
    [contributions, { kind: 'result' }, [404, 'investigation_not_found']],
  ] as const) {
    const { status, code } = await service.client.post(path, { body: 'b', ...request })
    expect([path, status, code]).toEqual([path, ...answer])
  }
  await expectAgreement()
})

test('a page of limit 1 skips a hidden message and moves the cursor past it', async () => {
  const [before, skipped, after] = world.messages.slice(3, 6).map(({ id }) => id)
  await apply('hide', message(skipped as bigint))
  const reply = await service.client.get(`/api/v1/messages?after=${before}&limit=1`)
  expect(reply.json).toMatchObject({ messages: [{ id: after }], next_cursor: after })
})

test('every read follows the rules after any sequence of moderation events', async () => {
  const acts = fc.array(fc.nat(), { minLength: 4, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(acts, async (picks) => {
      for (const target of [...hidden.values()]) await apply('show', target)
      const targets = targetsOf(world)
      for (const pick of picks) {
        const target = targets[pick % targets.length] as Target
        await apply(hidden.has(keyOf(target)) ? 'show' : 'hide', target)
      }
      await expectAgreement()
    }),
    { numRuns: runs(3, 10) },
  )
})

describe('operator hide and show', () => {
  const REASON = ['--reason', 'a reason']

  test('hiding a hidden record reports it, exits with 0 and logs nothing', async () => {
    const plain = world.messages[0]?.id as bigint
    const run = (...args: string[]) => operator(service, [...args, ...REASON])
    await apply('hide', message(plain))
    const logged = await operated(service, 'log', '--limit', '100')
    expect(await run('hide', 'message', `${plain}`)).toMatchObject({
      code: 0,
      out: `message ${plain} is already hidden\n`,
    })
    expect(await run('show', 'directory', 'ab')).toMatchObject({
      code: 0,
      out: 'directory ab is already shown\n',
    })
    expect(await operated(service, 'log', '--limit', '100')).toBe(logged)
  })

  test('hide and show work on a message in a hidden directory and report that', async () => {
    const inside = first().root + 1n
    await apply('hide', directory(first().directory))
    const run = (what: string) => operator(service, [what, 'message', `${inside}`, ...REASON])
    expect(await run('show')).toMatchObject({
      code: 0,
      out: `message ${inside} is already shown; what it belongs to is still hidden\n`,
    })
    expect(await run('hide')).toMatchObject({ code: 0, out: `message ${inside} is hidden\n` })
    expect(await run('show')).toMatchObject({
      code: 0,
      out: `message ${inside} is shown; what it belongs to is still hidden\n`,
    })
  })

  test.each([
    ['message', '999999', 'there is no message 999999'],
    ['investigation', '999999', 'there is no investigation 999999'],
    ['directory', 'nowhere', 'there is no directory nowhere'],
  ])('hide %s %s prints one line and exits with 1', async (kind, name, line) => {
    expect(await operator(service, ['hide', kind, name, ...REASON])).toEqual({
      code: 1,
      out: '',
      err: `operator: ${line}\n`,
    })
  })
})
