// The validation rules of questions, contributions, sources and links (specification, Source to ContributeRequest).
import { z } from 'zod'
import { stringifyJson } from '../../archive/base/json.ts'
import { CONTRIBUTION_KINDS, RELATIONS } from '../../archive/format/record-lines.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import { id, named } from '../wire/fields.ts'
import { answersWith, authorLabel, body, characters, textWithin, utf8Bytes } from '../wire/text.ts'

/** Length of a source's URL [characters, and UTF-8 bytes]. */
export const MAX_URL = 2048
/** Length of a source's note [UTF-8 bytes]. */
export const MAX_NOTE_BYTES = 512
/** Length of a question's title [Unicode code points]. */
export const MAX_TITLE = 200
export const MAX_SOURCES = 8
export const MAX_LINKS = 8

/** Total compact JSON of the sources and links, with defaults filled in [UTF-8 bytes] (API.md 1.5). */
const MAX_METADATA_BYTES = 8192

const METADATA = `Sources and links together have at most ${MAX_METADATA_BYTES} UTF-8 bytes as compact JSON with defaults filled in.`

const NOT_IN_A_URL = /[\p{White_Space}\p{Cc}\\\ufffe\uffff]/u

/**
 * Returns the part between the slashes and the path. Like the URL parser, it accepts any number of slashes. It works on
 * the text because parsing drops an empty user-info (`https://@host`, `https://:@host`).
 */
const authority = (url: string) => /^https?:\/*([^/?#]*)/.exec(url)?.[1] ?? ''

export const sourceUrl = z
  .string()
  .refine((url) => /^https?:\/\//.test(url), {
    message: 'must start with http:// or https://',
    abort: true,
  })
  .refine((url) => characters(url) <= MAX_URL, `must have at most ${MAX_URL} characters`)
  .refine((url) => utf8Bytes(url) <= MAX_URL, `must have at most ${MAX_URL} UTF-8 bytes`)
  .refine(
    (url) => url.isWellFormed() && !NOT_IN_A_URL.test(url),
    'must be well-formed text without white space, backslash or control characters',
  )
  .refine((url) => !authority(url).includes('@'), 'must not name a user')
  .refine(URL.canParse, 'must be a valid URL')
  // Not `format: uri`, because the WHATWG parser accepts more than RFC 3986, such as non-ASCII letters.
  .meta({
    minLength: 1,
    maxLength: MAX_URL,
    pattern: '^https?://',
    description:
      'A URL that the WHATWG URL parser accepts; no white space, backslash or user-info.',
  })

const source = z.strictObject({
  url: sourceUrl,
  note: textWithin({
    lines: 'many',
    max: MAX_NOTE_BYTES,
    maxBytes: MAX_NOTE_BYTES,
    mayBeBlank: true,
  }).default(''),
})

export const link = named('Link', {
  message_id: id,
  relation: z.enum(RELATIONS),
})

const sources = z
  .array(source)
  .max(MAX_SOURCES)
  .meta({ description: 'The sources that the text relies on.' })
  .default([])
const links = z
  .array(link)
  .max(MAX_LINKS)
  .refine(
    (items) =>
      new Set(items.map((item) => `${item.message_id} ${item.relation}`)).size === items.length,
    'must all be distinct',
  )
  .meta({
    description:
      'Messages that this one refers to. A `correction` needs one that `corrects`, a `reuse` one that `reuses`.',
  })
  .default([])

const metadataRule = {
  message: `sources and links must have at most ${MAX_METADATA_BYTES} UTF-8 bytes of JSON together`,
  params: answersWith('metadata_too_large'),
}

const fitsMetadataLimit = (metadata: { sources: Source[]; links?: Link[] }): boolean =>
  utf8Bytes(stringifyJson(metadata.sources)) + utf8Bytes(stringifyJson(metadata.links ?? [])) <=
  MAX_METADATA_BYTES

const DIRECTORY = /^[a-z0-9_-][a-z0-9_./-]{0,255}$/

/**
 * The directory of a new investigation. The pattern is looser than that of paths; a text that matches it without being
 * a path is reported as not found.
 */
const directoryReference = z
  .string()
  .refine((text) => DIRECTORY.test(text), {
    message: 'must be 1 to 256 characters a-z 0-9 _ . / -, the first not . or /',
    params: answersWith('invalid_directory'),
  })
  .meta({
    minLength: 1,
    maxLength: 256,
    pattern: DIRECTORY.source,
    description: 'The path of a directory that exists.',
  })

export const title = textWithin({ lines: 'one', max: MAX_TITLE, mayBeBlank: false })

export const investigationRequest = z
  .strictObject({ directory: directoryReference, title, body, author_label: authorLabel, sources })
  .refine(fitsMetadataLimit, metadataRule)
  .meta({ id: 'InvestigationRequest', description: METADATA })

/** The relation that a kind of contribution must declare (specification, Conditional rules 1 and 2). */
export const REQUIRED_RELATION: Partial<Record<EntryKind, Link['relation']>> = {
  correction: 'corrects',
  reuse: 'reuses',
}

/** The rules of `links` that its own schema cannot state, as JSON Schema of the whole request. */
const LINK_RULES = [
  { properties: { links: { uniqueItems: true } } },
  ...Object.entries(REQUIRED_RELATION).map(([kind, relation]) => ({
    anyOf: [
      { properties: { kind: { not: { const: kind } } } },
      {
        required: ['links'],
        properties: { links: { contains: { properties: { relation: { const: relation } } } } },
      },
    ],
  })),
]

export const contributionRequest = z
  .strictObject({
    kind: z.enum(CONTRIBUTION_KINDS),
    body,
    author_label: authorLabel,
    sources,
    links,
  })
  .superRefine(({ kind, links }, context) => {
    const relation = REQUIRED_RELATION[kind]
    if (relation === undefined || links.some((item) => item.relation === relation)) return
    const message = `must contain a link with relation ${relation}, since kind is ${kind}`
    context.addIssue({ code: 'custom', path: ['links'], message })
  })
  .refine(fitsMetadataLimit, metadataRule)
  .meta({ id: 'ContributionRequest', description: METADATA, allOf: LINK_RULES })

export type Source = z.output<typeof source>
export type Link = z.output<typeof link>
export type InvestigationRequest = z.output<typeof investigationRequest>
export type ContributionRequest = z.output<typeof contributionRequest>
