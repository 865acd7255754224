// operator erase: removes the text of a hidden message permanently and keeps its hash (API.md 10.5, FORMAT.md 20.5).
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../server/store/database.ts'
import { system } from '../../../server/system.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { operated, operator } from '../../support/operator.ts'
import { type Publisher, publisherOf } from '../../support/publish.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const SECRET = 'a text that must not stay anywhere'

let service: TestService
let publish: Publisher
let id: bigint | number
beforeAll(async () => {
  service = await startTestService()
  publish = publisherOf(service.client)
  await publish.directory('lab')
  const { json } = await service.client.post('/api/v1/messages', { directory: 'lab', body: SECRET })
  id = (json as { message_id: bigint }).message_id
})
afterAll(() => service.stop())

const erase = () => operator(service, ['erase', 'message', String(id), '--reason', 'r'])

test('erasing a visible message is rejected', async () => {
  const { code, err } = await erase()
  expect(code).toBe(1)
  expect(err).toContain('is not hidden; hide it before erasing it')
})

test('erasing a hidden message keeps its hash, and erasing it again changes nothing', async () => {
  await operated(service, 'hide', 'message', String(id), '--reason', 'r')
  const store = await openStore(service.config.database, { clock: system.clock, create: false })
  const row = () =>
    store.db
      .selectFrom('messages')
      .select(['body', 'body_hash'])
      .where('id', '=', BigInt(id))
      .executeTakeFirstOrThrow()
  const { body_hash } = await row()
  expect((await erase()).out).toContain(`the text of message ${id} is erased`)
  expect(await row()).toEqual({ body: '', body_hash })
  expect((await erase()).out).toContain('already')
  await store.close()
})

test('an erased message cannot be shown again', async () => {
  const shown = await operator(service, ['show', 'message', String(id), '--reason', 'r'])
  expect(shown).toMatchObject({ code: 1, err: expect.stringContaining('was erased') })
})

test.skipIf(ON_POSTGRES)('an erased text does not remain in the database file', async () => {
  await service.restart()
  expect(readFileSync(service.config.database).includes(SECRET)).toBe(false)
})
