// Each message gets a salt when it is published. Rule: FORMAT.md 18.2.

import { expect, test } from 'vitest'
import { publisherOf } from '../../support/publish.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService

test('each new message, question and contribution gets a salt of its own', async () => {
  service = await startTestService()
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  await Promise.all(Array.from({ length: 20 }, () => publish.message('lab')))
  const { id } = await publish.investigation('lab')
  await publish.contribution(id)
  const rows = await service.inDatabase(({ db }) =>
    db.selectFrom('messages').select('salt').execute(),
  )
  const salts = rows.map(({ salt }) => salt)
  expect(salts.filter((salt) => /^[0-9a-f]{32}$/.test(salt))).toHaveLength(22)
  expect(new Set(salts).size).toBe(22)
})
