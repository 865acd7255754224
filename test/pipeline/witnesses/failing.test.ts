// Witnesses that fail: what they do never delays or prevents a seal.
// Rules: WRITING.md 5.2.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { ORIGIN } from '../../archive/signing.ts'
import { IN_FULL } from '../../support/runs.ts'
import { until } from '../../support/time.ts'
import type { Witness } from '../../support/witness.ts'
import { answerWith, SIZE, signersOf, statuses, witnessedRun } from './witnessed-run.ts'

const at = witnessedRun()
const { checkpoint, policyText, publishDay, run, runWithout, verify } = at

type Fault = [name: string, fault: (witness: Witness) => unknown, message: RegExp]
const FAULTS: Fault[] = [
  ['refuses connections', (witness) => witness.close(), /^no answer/],
  ['answers 503', (witness) => answerWith(witness, 503, ''), /^answers 503$/],
  ['answers 404', (witness) => answerWith(witness, 404, ''), /^does not know this log|answers/],
  ['redirects', (witness) => answerWith(witness, 307, '', { location: '/x' }), /^answers 307$/],
  ['answers without a line', (witness) => answerWith(witness, 200, ''), /without a cosignature/],
  ['answers with a page', (witness) => answerWith(witness, 200, '<p>'), /without a cosignature/],
  [
    'signs another text',
    (witness) => answerWith(witness, 200, witness.cosign('another\n')),
    /without a cosignature/,
  ],
  [
    'answers with the line of another key',
    (witness) => {
      witness.tamper = (_, response, body) => {
        const text = `${body.split('\n\n')[1]}\n`
        response.writeHead(200).end(at.witnesses[1].cosign(text))
        return true
      }
    },
    /without a cosignature/,
  ],
  ['signs with the time of yesterday', (witness) => (witness.now -= 86_400), /10 minutes/],
  ['signs with a time 11 minutes ahead', (witness) => (witness.now += 660), /10 minutes/],
  [
    'answers with more than 64 KiB',
    (witness) => answerWith(witness, 200, Buffer.alloc(70_000, 'x')),
    /more than 65536 bytes/,
  ],
  ['answers 409 without a type', (witness) => answerWith(witness, 409, '0\n'), /without the size/],
  ...(IN_FULL ? ['', '0', ' 0\n', '00\n', '0\n\n', '1e0\n', '-1\n', '0x1\n'] : ['0']).map(
    (body): Fault => [
      `answers 409 with ${JSON.stringify(body)}`,
      (witness) => answerWith(witness, 409, body, SIZE),
      /without the size/,
    ],
  ),
  [
    'answers 409 without end',
    (witness) => answerWith(witness, 409, '0\n', SIZE),
    /^answers 409 to 3 requests$/,
  ],
]
test.each(FAULTS)('a witness that %s prevents nothing', async (_, fault, message) => {
  const day = await publishDay()
  await fault(at.witnesses[0])
  const ran = await run()
  expect(statuses(ran)).toEqual(['failed', 'signed', 'signed'])
  expect(ran.outcomes[0]?.message).toMatch(message)
  expect(at.witnesses[0].requests.length).toBeLessThanOrEqual(4)
  expect(signersOf(checkpoint())).toEqual([ORIGIN, 'w.example/2', 'w.example/3'])
  expect(ran.derived).toContain(`${day}/${day}.sha256`)
  expect(await verify(policyText())).toMatchObject({ ok: true })
})

test.each<[string, (response: ServerResponse) => unknown]>([
  ['answers', () => {}],
  ['ends its answer', (response) => response.writeHead(200).write('—')],
])('a witness that never %s is given up', async (_, hold) => {
  await publishDay()
  const ran = await runWithout(hold)
  expect(ran.outcomes[0]).toMatchObject({ status: 'failed', message: 'no answer within 10 s' })
  expect(signersOf(checkpoint()).slice(-2)).toEqual(['w.example/2', 'w.example/3'])
})

test('of an answer of 100 MiB no more is read than is allowed', async () => {
  await publishDay()
  let isClosed = false
  at.witnesses[0].tamper = (_, response) => {
    response.on('close', () => {
      isClosed = !response.writableFinished
    })
    Readable.from(Array.from({ length: 1600 }, () => Buffer.alloc(65_536, 'x'))).pipe(
      response.writeHead(200),
    )
    return true
  }
  const ran = await run()
  expect(ran.outcomes[0]?.message).toMatch(/more than 65536 bytes/)
  await until(() => isClosed)
})
