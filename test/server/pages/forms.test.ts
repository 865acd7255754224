// The forms over HTTP: which pages have one, their policy and their curl command, what a form sends, and that other sites
// cannot publish through a visitor's browser.
// Rules: API.md 2.4.
import { describe, expect, test } from 'vitest'
import { requestText } from '../../../server/pages/static/write/request.ts'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'
import { parseHtml } from './html.ts'

const PLACES = ['/directories', '/write', '/d/lab', '/investigations', '/investigations/1']

const service = await startTestService()
const board = service.publish
await board.directory('lab')
await board.investigation('lab')

const pageOf = async (path: string) => {
  const { text, headers } = await service.client.get(path)
  const { tags } = parseHtml(text)
  // Those of the search and of a date only lead to a page.
  const forms = tags.filter(({ name, attributes }) => name === 'form' && !attributes.has('action'))
  const csp = headers.get('content-security-policy') ?? ''
  return { text, tags, forms, connect: /connect-src ([^;]*)/.exec(csp)?.[1], csp }
}

describe('pages with a form', () => {
  test.each(PLACES)(
    'a form connects and submits to the service alone, labels every field and refers to what exists: %s',
    async (path) => {
      const { forms, connect, csp, text, tags } = await pageOf(path)
      expect(forms).toHaveLength(1)
      expect(connect).toBe("'self'")
      expect(csp).toContain("form-action 'self'")
      expect(text).toContain('only <a href="/moderation#reach">the operator</a> can hide it.')
      const revalidated = await service.client.get(path, { 'if-none-match': '*' })
      expect(revalidated.headers.get('content-security-policy')).toBe(csp)
      const values = (key: string) => tags.flatMap(({ attributes }) => attributes.get(key) ?? [])
      const ids = new Set(values('id'))
      for (const { name, attributes } of tags)
        if (['input', 'textarea', 'select'].includes(name) && attributes.get('type') !== 'hidden')
          expect(values('for')).toContain(attributes.get('id'))
      for (const id of values('aria-describedby').flatMap((value) => value.split(' ')))
        expect(ids).toContain(id)
    },
  )

  test('each page shows, without scripts, a working command for the same directory or investigation', async () => {
    for (const path of PLACES) {
      const { text } = await pageOf(path)
      const line = /<noscript>.*?<code>(.*?)<\/code>/s.exec(text)?.[1] ?? ''
      const [, url = '', request = ''] =
        /curl -s (\S+) .* -d '(.*)'$/s.exec(parseHtml(line).text) ?? []
      const { pathname } = new URL(url)
      const reply = await service.client.post(pathname, JSON.parse(request))
      expect({ path, status: reply.status }).toEqual({ path, status: 201 })
    }
    expect((await pageOf('/d/lab')).text).toContain('{&quot;directory&quot;:&quot;lab&quot;')
  })

  test('a form starts with the directory in the query, if there is one', async () => {
    const chosen = async (query: string) => {
      const { tags } = await pageOf(`/write${query}`)
      const option = tags.find(({ attributes }) => attributes.has('selected'))
      return option?.attributes.get('value')
    }
    expect(await chosen('?directory=lab')).toBe('lab')
    for (const query of ['?directory=%22%3E%3Cb', '?directory=nowhere', ''])
      expect(await chosen(query)).toBeUndefined()
  })
})

describe('pages without a form', () => {
  test.each(['/', '/d/lab'])('a page that tells of new messages may connect: %s', async (path) => {
    await act(service, 'mode', 'read-only')
    const { forms, connect, tags } = await pageOf(path)
    await act(service, 'mode', 'open')
    expect([forms, connect]).toEqual([[], "'self'"])
    expect(tags.filter(({ attributes }) => attributes.has('data-poll'))).toHaveLength(1)
  })

  test.each(['/messages/1', '/continuity', '/transmissions', '/transmissions/decode', '/nope'])(
    'the policy of a page without a form allows no connection: %s',
    async (path) => {
      const { forms, connect } = await pageOf(path)
      expect(forms).toEqual([])
      expect(connect).toBe("'none'")
    },
  )

  test('no page has a form while the service is read-only', async () => {
    await act(service, 'mode', 'read-only')
    try {
      for (const path of PLACES.filter((place) => place !== '/d/lab')) {
        const { forms, connect, tags } = await pageOf(path)
        expect({ path, forms, connect }).toEqual({ path, forms: [], connect: "'none'" })
        expect(tags.filter(({ name }) => name === 'script')).toEqual([])
      }
    } finally {
      await act(service, 'mode', 'open')
    }
  })

  test('only the page whose feature is switched off loses its form', async () => {
    await act(service, 'feature', 'directories', 'off')
    try {
      expect((await pageOf('/directories')).forms).toEqual([])
      expect((await pageOf('/d/lab')).forms).toHaveLength(1)
    } finally {
      await act(service, 'feature', 'directories', 'on')
    }
  })
})

test('another site gets no permission to send JSON from its preflight request', async () => {
  const answer = await fetch(`${service.url}/api/v1/messages`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://elsewhere.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    },
  })
  expect(answer.status).toBe(405)
  const names = [...answer.headers.keys()]
  expect(names.filter((name) => /^access-control-allow-(m|h)/.test(name))).toEqual([])
})

test('a form sends the JSON of the API, with numbers as they were typed', () => {
  const text = requestText([
    ['kind', 'reuse'],
    ['body', 'a "quoted"\nline'],
    ['links[0].relation', 'reuses'],
    ['links[0].message_id', ' 9223372036854775807 '],
    ['links[1].relation', 'extends'],
    ['links[1].message_id', 'twelve'],
    ['author_label', ''],
  ])
  expect(text).toBe(
    '{"kind":"reuse","body":"a \\"quoted\\"\\nline","links":[{"relation":"reuses","message_id":9223372036854775807},{"relation":"extends","message_id":"twelve"}]}',
  )
})

test('a form offers all directories to choose from, and on a board with a hundred suggests the first', async () => {
  const control = async () => {
    const { tags } = await pageOf('/write?directory=lab')
    return tags.find(({ attributes }) => attributes.get('name') === 'directory')
  }
  expect((await control())?.name).toBe('select')
  const board = service.publish
  for (let i = 1; i < 100; i++) await board.directory(`more-${i}`)
  const field = await control()
  expect(field?.name).toBe('input')
  expect(field?.attributes.get('value')).toBe('lab')
  expect(field?.attributes.get('list')).toBe('paths')
})
