// What is hidden is in no answer: no page, list, feed, file or receipt has its words, and no cache has kept them.
// Rules: API.md 8.1.
import { expect, test } from 'vitest'
import { crawl } from '../../support/crawl.ts'
import { act, operated } from '../../support/operator.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const DAY = '2026-11-18'
/** In every text that is hidden, and in nothing else. */
const WORD = 'concealed'
/** A directory that is hidden, with those below it. */
const ATTIC = 'attic'

const clock = clockAt(`${DAY}T08:00:00Z`)
const service = await startTestService({}, clock)
const { publish } = service

for (const path of ['lab', ATTIC, `${ATTIC}/below`]) await publish.directory(path)
const shown = await publish.message('lab', 'a question')
const below = await publish.message(`${ATTIC}/below`, `${WORD} below its directory`)
const alone = await publish.message('lab', `${WORD} alone, in answer to\n/messages/${shown}`)
await publish.message('lab', `this mentions /messages/${alone} and /messages/${below}`)
const open = await publish.investigation('lab')
const said = {
  body: `${WORD} result`,
  author_label: WORD,
  sources: [{ url: `https://${WORD}.example/`, note: WORD }],
}
const entry = await publish.contribution(open.id, {
  ...said,
  kind: 'result',
  links: [{ message_id: open.root, relation: 'supports' }],
})
const asked = await publish.investigation('lab', { ...said, title: `${WORD} question` })
await publish.contribution(asked.id, { body: `${WORD} in a question that is hidden` })
const review = ['--outcome', 'unsupported', '--reason', 'r', '--evidence-note', WORD]
await operated(service, 'review', String(entry), ...review)
clock.passTo('2026-11-19T07:00:00Z')
await sealDays(service.dataDir, [DAY], clock.now())

const EXTENT = {
  messages: Number(entry) + 2,
  investigations: 2,
  days: [DAY],
  directories: ['lab', ATTIC, `${ATTIC}/below`],
}

/** The requests whose answers have the word, or the name of the directory, unless the request itself has that. */
const showing = async (): Promise<string[]> =>
  [...(await crawl(service.url, EXTENT))]
    .filter(
      ([request, answer]) =>
        answer.includes(WORD) || (answer.includes(ATTIC) && !request.includes(ATTIC)),
    )
    .map(([request]) => request)

test('what is hidden is in no answer to any address, and in all of them again once it is shown', async () => {
  const before = (await showing()).sort()
  expect(before.length).toBeGreaterThan(50)
  const targets = [
    ['directory', ATTIC],
    ['investigation', String(asked.id)],
    ...[alone, entry].map((id) => ['message', String(id)]),
  ] as const
  for (const target of targets) await act(service, 'hide', ...target)
  expect(await showing()).toEqual([])
  for (const target of targets) await act(service, 'show', ...target)
  expect((await showing()).sort()).toEqual(before)
})
