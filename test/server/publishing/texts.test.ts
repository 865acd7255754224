// What each field of user text may contain (specification: Message, CreateRequest, ContributeRequest, Source; API.md 1.6).
import { describe, expect, test } from 'vitest'
import { CREATES, type Kind } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
await service.publish.directory('lab')
await service.publish.investigation('lab')

interface Rules {
  isLine: boolean
  mayBeBlank: boolean
  characters: number
  bytes: number
  /** The answer to a text that is too long. */
  tooLong?: object
}
const INVALID = { status: 400, code: 'invalid_request' }
const TOO_LARGE = { status: 413, code: 'body_too_large' }
const BODY = {
  isLine: false,
  mayBeBlank: false,
  characters: 16_384,
  bytes: 16_384,
  tooLong: TOO_LARGE,
}
const TITLE = { isLine: true, mayBeBlank: false, characters: 200, bytes: 800 }
const LABEL = { isLine: true, mayBeBlank: true, characters: 80, bytes: 320 }
const NOTE = { isLine: false, mayBeBlank: true, characters: 512, bytes: 512 }
const noted = (note: string) => ({ sources: [{ url: 'https://a.example/', note }] })

const FIELDS: [kind: Kind, field: string, rules: Rules, change?: (text: string) => object][] = [
  ['message', 'body', BODY],
  ['investigation', 'body', BODY],
  ['contribution', 'body', BODY],
  ['investigation', 'title', TITLE],
  ['directory', 'author_label', LABEL],
  ['message', 'author_label', LABEL],
  ['investigation', 'author_label', LABEL],
  ['contribution', 'author_label', LABEL],
  ['investigation', 'sources[0].note', NOTE, noted],
]

const NOWHERE = [
  ...['\u0000', '\u000b', '\f', '\u001b', '\u007f', '\u0080', '\u0085', '\u009f'],
  ...['\ufffe', '\uffff', '\ud800', '\udc00'],
]
const NOT_IN_A_LINE = ['\t', '\n', '\r', '\u2028', '\u2029']
const BLANK = ['', ' \u00a0\u2003\u3000']

describe.each(FIELDS)('of a %s, the field %s', (kind, field, rules, change) => {
  const { isLine, mayBeBlank, characters, bytes, tooLong = INVALID } = rules
  const send = (text: string) => {
    const [path, request] = CREATES[kind]()
    return service.client.post(path, { ...request, ...(change?.(text) ?? { [field]: text }) })
  }
  async function expectInvalid(text: string, answer: object = INVALID): Promise<void> {
    const reply = await send(text)
    expect(reply, JSON.stringify(text.slice(0, 9))).toMatchObject(answer)
    expect(reply.message?.startsWith(`${field}: `)).toBe(true)
  }
  const longest = [
    'x'.repeat(characters),
    ...(bytes === characters ? ['é'.repeat(bytes / 2)] : ['🌙'.repeat(characters)]),
  ]

  test('may have any other character, also at its greatest length', async () => {
    const allowed = ['a\ufeffb 🌙', '  x\u3000', ...longest]
    for (const text of [...allowed, ...(isLine ? [] : NOT_IN_A_LINE.map((one) => `a${one}b`))])
      expect((await send(text)).status).toBe(201)
  })

  test('must not have controls, noncharacters and lone surrogates, or, in a line, an end of line', async () => {
    for (const one of [...NOWHERE, ...(isLine ? NOT_IN_A_LINE : [])])
      await expectInvalid(`a${one}b`)
  })

  test('must not be longer', async () => {
    for (const text of longest) await expectInvalid(`${text}x`, tooLong)
  })

  test(`${mayBeBlank ? 'may' : 'must not'} be blank`, async () => {
    for (const text of BLANK)
      if (mayBeBlank) expect((await send(text)).status).toBe(201)
      else await expectInvalid(text)
  })
})
