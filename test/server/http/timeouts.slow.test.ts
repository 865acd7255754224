// Tests that connections with unfinished requests are closed after their timeouts.
// Rules: API.md 1.9.
import { expect, test } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestService } from '../../support/service.ts'
import { DEADLINE_MS } from '../../support/time.ts'

const service = await startTestService()

const HEAD = 'GET /healthz HTTP/1.1\r\nHo'
const BODY =
  'POST /api/v1/messages HTTP/1.1\r\nHost: day.example\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{'

test.concurrent('an unfinished request gets 408 and is closed, a head earlier than a body', async () => {
  const closed: string[] = []
  const send = async (bytes: string) => {
    // The timeout of a body is 30 s.
    const answer = await sendRaw(service.url, bytes, 'close', 2 * DEADLINE_MS)
    closed.push(bytes)
    return { status: answer.status, closed: answer.closed }
  }
  const body = send(BODY)
  const heads = send(HEAD).then(async (first) => [first, await send(HEAD)])
  const answers = [await body]
  // Two heads after each other take less time than a body.
  expect(closed).toEqual([HEAD, HEAD, BODY])
  answers.push(...(await heads))
  expect(answers).toEqual(Array(3).fill({ status: 408, closed: true }))
})

test.concurrent('a connection on which nothing was sent is closed without an answer', async () => {
  const { text, closed } = await sendRaw(service.url, [], 'close', 2 * DEADLINE_MS)
  expect({ text, closed }).toEqual({ text: '', closed: true })
})
