// Tests that moderation is atomic for clients that read meanwhile.
// Rules: API.md 8.1.
import { beforeEach, describe, expect } from 'vitest'
import { act } from '../../support/operator.ts'
import { idsOf } from '../../support/publish.ts'
import { inFull } from '../../support/runs.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'

/** Responses between two operator actions: each of the five readers gets about four. */
const RESPONSES_BETWEEN_ACTIONS = 20

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})

describe('moderation while readers page', () => {
  inFull(
    'each response contains all of a hidden or shown tree or investigation, or none of it',
    async () => {
      const { client } = service
      const { publish } = service
      for (const path of ['tree', 'tree/below', 'outside']) await publish.directory(path)
      const { id, root } = await publish.investigation('tree/below')
      const inTree: bigint[] = []
      const entries: bigint[] = []
      const outside: bigint[] = []
      // A page shows 25 messages, so the question and its contributions fit.
      for (let i = 0; i < 24; i++) {
        inTree.push(await publish.message('tree'))
        entries.push(await publish.contribution(id))
        outside.push(await publish.message('outside'))
      }
      const anchor = (await publish.investigation('outside')).id
      let responses = 0
      /** The states in which readers found the tree: visible, hidden or both. */
      const states = new Set<boolean>()
      let hiding = true

      /** Expects all of `whole` among `seen`, or none of it. */
      const allOrNone = (seen: bigint[], whole: bigint[]) => {
        responses++
        const found = whole.filter((message) => seen.includes(message)).length
        expect([0, whole.length]).toContain(found)
        if (whole.length > 0) states.add(found > 0)
      }
      /** Returns those of the messages that an HTML page shows. */
      const onPage = async (path: string, messages: bigint[]) => {
        const { text } = await client.get(path)
        return messages.filter((message) => text.includes(`"/messages/${message}"`))
      }
      const readers = [
        async () => {
          const ids = idsOf(await client.get(`/api/v1/messages?after=${root - 1n}&limit=100`))
          const covered = (message: bigint) => message <= (ids.at(-1) ?? 0n)
          allOrNone(ids, inTree.filter(covered))
          allOrNone(ids, [root, ...entries].filter(covered))
          expect(outside.filter(covered).every((message) => ids.includes(message))).toBe(true)
        },
        async () => {
          const reply = await client.get(`/api/v1/investigations/${id}?limit=100`)
          expect([200, 404]).toContain(reply.status)
          if (reply.status === 200) expect(idsOf(reply)).toEqual(entries)
          responses++
        },
        async () => allOrNone(await onPage('/d/tree', inTree), inTree),
        async () => {
          const whole = [root, ...entries]
          allOrNone(await onPage('/d/tree/below', whole), whole)
        },
        async () => {
          const targets = [root, entries[0], 999_999n]
          const links = targets.map((message_id) => ({ message_id, relation: 'extends' }))
          const path = `/api/v1/investigations/${anchor}/contributions`
          const { message } = await client.post(path, { kind: 'result', body: 'b', links })
          expect(message).toMatch(/^links\[[02]\]/)
          responses++
        },
      ]
      const reading = Promise.all(
        readers.map(async (read) => {
          while (hiding) await read()
        }),
      )
      // Awaited below, after the operator actions; a failure until then must not count as unhandled.
      reading.catch(() => undefined)
      const targets = [
        ['directory', 'tree'],
        ['investigation', `${id}`],
        ['message', `${root}`],
        ['directory', 'tree/below'],
      ] as const
      try {
        for (const [kind, name] of targets)
          for (const what of ['hide', 'show'] as const) {
            await act(service, what, kind, name)
            const before = responses
            await until(() => responses >= before + RESPONSES_BETWEEN_ACTIONS)
          }
      } finally {
        hiding = false
      }
      await reading
      expect(responses).toBeGreaterThan(100)
      expect(states.size).toBe(2)
      expect(service.complaints).toEqual([])
    },
  )
})
