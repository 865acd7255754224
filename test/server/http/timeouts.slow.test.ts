// Requests that do not end: their connections are cut in time.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test.concurrent('a request head that does not end is cut off after 10 s with 408', async () => {
  const answer = await sendRaw(service.url, 'GET /healthz HTTP/1.1\r\nHo', 14_000)
  expect(answer.status).toBe(408)
  expect(answer.closed).toBe(true)
})

test.concurrent('a request body that does not end is cut off after 30 s', async () => {
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
