// What a session of the page that listens reports of a day that is too weak to be read at once (SPEC.md 9.14).
import { expect, test } from 'vitest'
import { SAMPLE_RATE } from '../../../protocol/index.ts'
import type { Report } from '../../../server/pages/static/decode/report.ts'
import { ListenSession } from '../../../server/pages/static/listen/session.ts'
import { noisy, padded } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'

test('a day that is heard twice, each time too weak to be read, is read from both as soon as the second has ended', () => {
  const { sound, frame } = sent(1)
  const played = [2, 5].flatMap((pause) => [...padded(sound, 0, pause)])
  const heard = noisy(padded(Float32Array.from(played), 1.5, 0), -0.8, 50002)
  const reports: Report[] = []
  const session = new ListenSession(SAMPLE_RATE, (report) => reports.push(report))
  for (let from = 0; from < heard.length; from += SAMPLE_RATE)
    session.push({
      samples: heard.slice(from, from + SAMPLE_RATE),
      at: (1000 * from) / SAMPLE_RATE,
    })
  expect(reports.filter(({ kind }) => kind === 'adding' || kind === 'reading')).toMatchObject([
    { kind: 'adding' },
    { transmission: { frame }, at: 63 },
  ])
  session.end()
  expect(reports.at(-1)).toMatchObject({
    kind: 'ended',
    decoding: { transmissions: [{ frame }], error: null },
    isCombined: true,
  })
})
