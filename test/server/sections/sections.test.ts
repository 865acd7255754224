// What was written on a day: on its page, and in sections on the page of its records.
// Rules: API.md 9.15.

import { beforeAll, describe, expect, test } from 'vitest'
import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import { SECTIONS } from '../../../server/sections/rules.ts'
import { act, operated } from '../../support/operator.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { parseHtml } from '../pages/html.ts'
import { makeArchive } from '../transmissions/archive.ts'

const DAY = '2026-11-19'
const RECORDS = `/transmissions/${DAY}/records`
const clock = clockAt(`${DAY}T08:00:00.000Z`)
let service: TestService
let last: bigint
beforeAll(async () => {
  service = await startTestService({}, clock)
  await service.publish.directory('river')
  const sources = [{ url: 'https://example.org/gauge', note: 'The gauge.' }]
  const { id } = await service.publish.investigation('river', { title: 'Does it rise?', sources })
  for (const kind of ['observation', 'attempt', 'result'])
    await service.publish.contribution(id, { kind, body: `An ${kind} of the river.` })
  clock.pass(60_000)
  for (let i = 1; i <= 60; i++) last = await service.publish.message('river', `Reading ${i}.`)
  await operated(
    service,
    ...['review', '2', '--outcome', 'substantiated', '--reason', 'Seen by two.'],
    ...['--evidence-note', 'Both readings.'],
  )
  clock.passTo('2026-11-20T12:00:00.000Z')
  await service.publish.message('river', 'A message of the next day.')
  await makeArchive(service.archiveDir, ['2026-11-18', DAY])
})

const read = async (path: string) => (await service.client.get(path)).text

describe('the page of a day', () => {
  test('shows the first thirty messages, contributions under their question unless that is the headline, and the reviews of the day, and no others', async () => {
    const page = await read(`/transmissions/${DAY}`)
    expect(page.match(/Reading \d+\./g)?.length).toBe(26)
    for (const text of ['Does it rise?', 'An attempt of the river.', 'Seen by two.'])
      expect(page).toContain(text)
    expect(page.match(/Does it rise\?<\//g)).toHaveLength(2)
    expect(page).not.toContain('A message of the next day.')
    expect(page).toContain(`href="${RECORDS}"`)
  })

  test('links each counter that is not 0 to a section that the page of the records has', async () => {
    const page = await read(`/transmissions/${DAY}`)
    const records = await read(RECORDS)
    const links = [...page.matchAll(/records#([a-z]+)">([^<]+)<\/a><\/th>/g)]
    expect(links.map(([, , label]) => label)).toEqual(
      COUNTER_NAMES.map((name) => COUNTER_LABELS[name]),
    )
    for (const section of [
      'messages',
      'questions',
      'observations',
      'results',
      'sources',
      'reviews',
    ])
      expect(records).toContain(`<section id="${section}"`)
  })

  test('of the current day shows what was counted and written so far, and when it becomes sound', async () => {
    const { status, text } = await service.client.get('/transmissions/2026-11-20')
    expect(status).toBe(200)
    expect(text).toContain('A message of the next day.')
    expect(text).toContain('Next transmission after midnight UTC.')
    expect(parseHtml(text).text).toMatch(/Messages\s*1\s/)
    expect(text).toContain('href="/transmissions/2026-11-19" rel="prev"')
    const { status: asJson } = await service.client.get('/transmissions/2026-11-20.json')
    expect(asJson).toBe(404)
  })
})

describe('the records of a day', () => {
  test('are on one page in sections, each in order of time', async () => {
    const page = await read(RECORDS)
    const sections = [...page.matchAll(/<section id="([a-z]+)"/g)].map(([, name]) => name)
    expect(sections).toEqual(SECTIONS.filter((name) => sections.includes(name)))
    expect(sections).toHaveLength(8)
    expect(page.indexOf('Reading 1.')).toBeLessThan(page.indexOf('Reading 2.'))
    expect(page).toContain('https://example.org/gauge')
  })

  test('a section and the pages that follow it have every message once', async () => {
    const seen: string[] = []
    let path: string | undefined = `${RECORDS}?section=messages`
    while (path) {
      const page: string = await read(path)
      seen.push(...[...page.matchAll(/> Message (\d+)</g)].map(([, id]) => id as string))
      path = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 64 }, (_, i) => String(i + 1)))
  })

  test.each([
    ['messages', '5', 'Reading 1.'],
    ['reviews', '2', 'Seen by two.'],
    ['sources', '1', 'https://example.org/gauge'],
  ])('do not show what an operator has hidden since: %s', async (section, id, text) => {
    const path = `${RECORDS}?section=${section}`
    expect(await read(path)).toContain(text)
    await act(service, 'hide', 'message', id)
    expect(await read(path)).not.toContain(text)
    await act(service, 'show', 'message', id)
  })

  test.each([
    ['nonsense/records', 404, 'snapshot_not_found'],
    [`${DAY}/records?section=words`, 400, 'invalid_request'],
    [`${DAY}/records?section=messages&after=9`, 400, 'invalid_cursor'],
    [`${DAY}/records?after=1-0`, 400, 'invalid_cursor'],
  ])('%s answers %i %s', async (path, status, code) => {
    const reply = await service.client.get(`/transmissions/${path}`)
    expect(reply.status).toBe(status)
    expect(reply.text).toContain(code)
  })
})

test('the records of a day on which nothing was written are empty', async () => {
  expect(last).toBe(64n)
  expect(await read('/transmissions/2026-11-18/records')).toContain('No messages.')
})
