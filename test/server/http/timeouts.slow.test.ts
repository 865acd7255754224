// Tests that connections with unfinished requests are closed after their timeouts (API.md 1.9).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test.concurrent('an unfinished request head gets 408 after 10 s', async () => {
  const answer = await sendRaw(service.url, 'GET /healthz HTTP/1.1\r\nHo', 14_000)
  expect(answer.status).toBe(408)
  expect(answer.closed).toBe(true)
})

test.concurrent('an unfinished request body gets 408 after 30 s', async () => {
  const started = performance.now()
  const answer = await sendRaw(
    service.url,
    `POST /api/v1/messages HTTP/1.1\r\nHost: day.example\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
    40_000,
  )
  expect(answer.closed).toBe(true)
  expect(performance.now() - started).toBeGreaterThan(25_000)
  expect(answer.status).toBe(408)
}, 60_000)
