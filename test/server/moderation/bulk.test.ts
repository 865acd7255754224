// Hiding and showing many messages as one action.
// Rules: API.md 8.5.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rangesIn } from '../../../server/database/records/action-log.ts'
import { act, operated, operator } from '../../support/operator.ts'
import { idsOf } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')

interface Outcome {
  ranges: [number, number][]
  count: number
  changed: boolean
  first?: { id: number; body: string }[]
}

const bulk = async (...args: string[]) =>
  JSON.parse(await operated(service, ...args, '--reason', 'spam', '--json')) as Outcome
const visible = async () => idsOf(await service.client.get('/api/v1/messages?limit=100'))
const record = async () =>
  (
    (await service.client.get('/api/v1/moderation?limit=100')).json as {
      actions: { id: bigint; action: string; target: null; ranges: [bigint, bigint][] }[]
    }
  ).actions

test('messages of a range are hidden as one action, and showing the action takes back exactly what it did', async () => {
  const ids = []
  for (let i = 0; i < 6; i++) ids.push(await publish.message('lab', `note ${i}`))
  const [first, , third, , , last] = ids as [bigint, bigint, bigint, bigint, bigint, bigint]
  await act(service, 'hide', 'message', third)
  const range = ['--from', String(first), '--to', String(last)]
  const ranges = [
    [Number(first), Number(first) + 1],
    [Number(third) + 1, Number(last)],
  ]
  expect(await bulk('hide', 'messages', ...range, '--dry-run')).toMatchObject({
    ranges,
    count: 5,
    changed: false,
  })
  expect(await visible()).toEqual(ids.filter((id) => id !== third))
  const before = await record()
  expect(await bulk('hide', 'messages', ...range)).toMatchObject({ ranges, count: 5 })
  expect(await visible()).toEqual([])
  const added = (await record()).slice(before.length)
  expect(added).toMatchObject([{ action: 'hide', target: null }])
  const { id } = added[0]!
  expect(await bulk('show', 'messages', '--action', String(id))).toMatchObject({ count: 5 })
  expect(await visible()).toEqual(ids.filter((one) => one !== third))
  expect(await bulk('show', 'messages', '--action', String(id))).toMatchObject({ changed: false })
  expect((await record()).length).toBe(before.length + 2)
})

test('messages that contain a text are hidden, with everything in an investigation whose question does', async () => {
  const { root, id } = await publish.investigation('lab', { body: 'Buy pills?' })
  const inside = await publish.contribution(id)
  const plain = await publish.message('lab', 'buy pills? 100%')
  const other = await publish.message('lab', 'Buy_pills?')
  const { first, count } = await bulk('hide', 'messages', '--containing', 'Buy pills?', '--dry-run')
  expect({ first, count }).toMatchObject({ first: [{ id: Number(root) }], count: 1 })
  await bulk('hide', 'messages', '--containing', 'Buy pills?')
  const shown = await visible()
  expect(shown).toEqual(expect.arrayContaining([plain, other]))
  expect(shown.some((one) => one === root || one === inside)).toBe(false)
  expect(JSON.stringify((await service.client.get('/api/v1/moderation')).text)).not.toContain(
    'pills',
  )
  await bulk('show', 'messages', '--containing', 'Buy pills?')
  expect(await visible()).toEqual(expect.arrayContaining([root, inside]))
})

test('an erased message is not shown again with the others', async () => {
  const ids = [await publish.message('lab', 'erase me'), await publish.message('lab', 'erase me')]
  await bulk('hide', 'messages', '--containing', 'erase me')
  await act(service, 'erase', 'message', ids[0] as bigint)
  const { id } = (await record()).find(({ ranges }) => ranges?.at(-1)?.[1] === ids[1]) as {
    id: bigint
  }
  expect(await bulk('show', 'messages', '--action', String(id))).toMatchObject({
    ranges: [[Number(ids[1]), Number(ids[1])]],
  })
})

test.each([
  [['hide', 'messages'], 'name the messages by --from ID --to ID'],
  [['hide', 'messages', '--from', '1'], 'name the messages by'],
  [['hide', 'messages', '--containing', ''], 'is empty'],
  [['hide', 'messages', '--from', 'x', '--to', '2'], 'from: must be a whole number'],
  [['hide', 'messages', '--from', '9', '--to', '2'], '--from must not be greater than --to'],
  [['hide', 'messages', '3', '--from', '1', '--to', '2'], 'unexpected argument "3"'],
  [['hide', 'message', '3', '--dry-run'], '--dry-run is for messages, not message'],
  [['hide', 'message'], 'the ID is missing'],
])('%j is rejected with one line', async (args, line) => {
  const { code, err } = await operator(service, [...args, '--reason', 'r'])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(line) })
})

test('an action that is not on many messages cannot be taken back as one', async () => {
  const args = ['show', 'messages', '--action', '1', '--reason', 'r']
  expect(await operator(service, args)).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no action 1 on many messages'),
  })
})

test('ranges contain each id once, in order, and no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.bigInt({ min: 1n, max: 60n })), (given) => {
      const ids = given.sort((a, b) => (a < b ? -1 : 1))
      const ranges = rangesIn(ids)
      const all = ranges.flatMap(([first, last]) =>
        Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i)),
      )
      expect(all).toEqual(ids)
      expect(ranges.length).toBe(ids.filter((id) => !ids.includes(id - 1n)).length)
    }),
  )
})
