// Renders the fields of the forms, with their limits. Fields have the names of the API, so that the form's script can
// show an API error at its field.

import { CONTRIBUTION_KINDS, RELATIONS } from '../../../archive/format/record-lines.ts'
import type { MessageRecord } from '../../board/api.ts'
import { MAX_SUGGESTIONS } from '../../board/queries.ts'
import { PATH } from '../../board/rules.ts'
import {
  MAX_LINKS,
  MAX_NOTE_BYTES,
  MAX_SOURCES,
  MAX_URL,
  REQUIRED_RELATION,
} from '../../investigations/rules.ts'
import type { InvestigationView } from '../../investigations/views.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { MAX_BODY_BYTES, MAX_LABEL } from '../../wire/text.ts'
import { quotedWords } from '../board/answering.ts'
import { fitting, htmlOf } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { kindName, RELATION_WORDS } from '../parts/kinds.ts'
import { authorOf } from '../parts/user-text.ts'

/** The id of the form of a page, to which its links lead. */
export const FORM_ID = 'write'

export interface DirectoryChoice {
  /** The path that is filled in; may be empty. */
  chosen: string
  suggested: readonly string[]
}

interface Field {
  /** The name of the field in the API. */
  name: string
  label: string
  hint?: string
  limit?: [max: number, unit: 'bytes' | 'characters']
  /** What to say of an empty field; undefined if it may be empty. */
  required?: string
  /** The form of a value, and what to say of one that differs. */
  rule?: { pattern: RegExp; expected: string }
  value?: string
  /** The id of the datalist with suggestions. */
  suggestions?: string
  /** Visible lines; makes the field a textarea. */
  rows?: number
  /** Whether the page opens with the focus on it. */
  autofocus?: boolean
}

const idOf = (name: string): string => `${FORM_ID}-${name}`

export function textField(field: Field): Html {
  const { name, hint, limit, required, rule, suggestions, rows } = field
  const id = idOf(name)
  const described = [hint && `${id}-hint`, limit && `${id}-limit`].filter(Boolean).join(' ')
  const attributes = html`${described && html` aria-describedby="${described}"`}${
    field.autofocus && html` autofocus`
  }${limit && html` data-max="${limit[0]}" data-unit="${limit[1]}"`}${
    required && html` data-required="${required}"`
  }${rule && html` data-pattern="${rule.pattern.source}" data-expected="${rule.expected}"`}`
  return html`<div class="field">
<label for="${id}">${field.label}</label>
${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>\n` : ''}${
  rows === undefined
    ? html`<input type="text" id="${id}" name="${name}" value="${field.value ?? ''}" autocomplete="off"${
        suggestions && html` list="${suggestions}"`
      }${attributes}>`
    : html`<textarea id="${id}" name="${name}" rows="${rows}" dir="auto"${attributes}></textarea>`
}
${limit ? html`<p class="limit" id="${id}-limit"></p>\n` : ''}</div>`
}

export const bodyField = (label: string, autofocus = false): Html =>
  textField({
    name: 'body',
    label,
    autofocus,
    limit: [MAX_BODY_BYTES, 'bytes'],
    required: 'Write something first.',
    rows: 8,
  })

export const NAME_FIELD = textField({
  name: 'author_label',
  label: 'Name (optional, unverified)',
  limit: [MAX_LABEL, 'characters'],
})

export const PATH_RULE = {
  pattern: PATH,
  expected: 'Use the letters a to z, digits, and _ . - in up to 8 parts joined by /.',
}

/** Limit for the suggested paths [bytes of HTML]: a hundred of usual length fit. */
const SUGGESTIONS_BYTES = 5_000

const REQUIRED_DIRECTORY = 'Choose a directory.'

/** Offers all directories to choose from, or on a board with many a field with suggestions. */
export function directoryField({ chosen, suggested }: DirectoryChoice): Html {
  const offered = fitting(SUGGESTIONS_BYTES, suggested, (path) => option(path, path === chosen))
  const isAll = offered.length === suggested.length && suggested.length < MAX_SUGGESTIONS
  if (isAll) return directorySelect(offered.map(htmlOf))
  const field = textField({
    name: 'directory',
    label: 'Directory',
    hint: 'Where it goes. Pick one, or create a directory.',
    required: REQUIRED_DIRECTORY,
    rule: PATH_RULE,
    value: chosen,
    suggestions: 'paths',
  })
  return html`${field}
<datalist id="paths">${offered.map(htmlOf)}</datalist>`
}

const directorySelect = (options: readonly Html[]): Html =>
  html`<div class="field">
<label for="${idOf('directory')}">Directory</label>
<p class="hint" id="${idOf('directory')}-hint">Where it goes, or <a href="/directories#${FORM_ID}">create a directory</a>.</p>
<select id="${idOf('directory')}" name="directory"
    aria-describedby="${idOf('directory')}-hint" data-required="${REQUIRED_DIRECTORY}">
  <option value="">Choose …</option>
  ${options}
</select>
</div>`

const option = (path: string, isChosen: boolean): Html =>
  html`<option value="${path}"${isChosen ? html` selected` : ''}>${path}</option>`

const KINDS: Record<(typeof CONTRIBUTION_KINDS)[number], string> = {
  observation: 'What you saw, heard or measured.',
  attempt: 'What you tried, whether or not it worked.',
  correction: 'What a message gets wrong, and what is right. It must link to that message.',
  result: 'An answer to the question, or to part of it.',
  reuse: 'What you built on a message. It must link to that message.',
}

/** @param chosen the kind that is checked */
export const kindField = (chosen?: (typeof CONTRIBUTION_KINDS)[number] | null): Html =>
  html`<fieldset class="kinds" id="${idOf('kind')}">
<legend>Kind</legend>
${CONTRIBUTION_KINDS.map((kind) => {
  const relation = REQUIRED_RELATION[kind]
  const id = idOf(`kind-${kind}`)
  const hint = idOf(`kind-${kind}-hint`)
  const checked = kind === chosen ? html` checked` : ''
  const needed =
    relation && html` data-relation="${relation}" data-does="${RELATION_WORDS[relation].does}"`
  return html`<p>
    <input type="radio" id="${id}" name="kind" value="${kind}"${checked}${needed} aria-describedby="${hint}">
    <label for="${id}">${kindName(kind)}</label>
    <span class="hint" id="${hint}">${KINDS[kind]}</span>
  </p>\n`
})}</fieldset>`

const QUOTE_CHARACTERS = 80

/**
 * Renders a chip.
 * @param words what the text does to the message, as in `corrects`
 * @param controls hidden fields, which are sent unless the chip is removed
 */
const chip = (words: string, message: MessageRecord | null, controls: Html): Html =>
  html`<fieldset class="item chip"><legend>${words} ${message && quoteOf(message)}</legend>
${controls}
<button type="button" class="remove" aria-label="Remove this reference">Remove</button></fieldset>`

const quoteOf = ({ id, author_label, body }: MessageRecord): Html =>
  html`<a href="${messageUrl(id)}">message ${id}</a>${authorOf(author_label, ', ')}: <q dir="auto">${quotedWords(id, body, QUOTE_CHARACTERS)}</q>`

/** The message that a new one answers; its address is added to the text. */
export const answerChip = (answered: MessageRecord): Html =>
  chip(
    'Answers',
    answered,
    html`<input type="hidden" name="answers" value="${messageUrl(answered.id)}">`,
  )

/** A link from a new contribution to a message. */
type Reference = NonNullable<InvestigationView['refers_to']>

const linkChip = (reference: Reference | null): Html =>
  chip(
    reference ? RELATION_WORDS[reference.relation].does : '',
    reference?.message ?? null,
    html`<input type="hidden" name="links[0].relation" value="${reference?.relation ?? ''}">
<input type="hidden" name="links[0].message_id" value="${reference?.message.id ?? ''}">`,
  )

interface FieldList {
  /** What an item is called: the list of a `Source` is named `sources` in the API. */
  one: string
  hint: string
  max: number
  /** The fields of one item, named with index 0; the script renumbers them. */
  fields: Html
  /** Items that the list begins with. */
  given?: Html
  /** The template of an item that is shown as a chip. */
  chip?: Html
}

function fieldList({ one, hint, max, fields, given, chip }: FieldList): Html {
  const name = `${one.toLowerCase()}s`
  return html`<fieldset class="list" id="${idOf(name)}" data-list="${name}" data-one="${one}"
  data-max="${max}" aria-describedby="${idOf(`${name}-hint`)}">
<legend>${one}s</legend>
<p class="hint" id="${idOf(`${name}-hint`)}">${hint}</p>
<template>${item(one, fields)}</template>
${chip ? html`<template class="chips">${chip}</template>\n` : ''}${given ?? ''}
<p><button type="button" class="add">Add a ${one.toLowerCase()}</button></p>
</fieldset>`
}

const item = (one: string, fields: Html): Html =>
  html`<fieldset class="item"><legend>${one} 1</legend>
${fields}
<p><button type="button" class="remove">Remove ${one.toLowerCase()} 1</button></p></fieldset>`

const URL_RULE = {
  pattern: /https?:\/\/[^\s\\]+/,
  expected: 'Begin it with http:// or https://, without spaces.',
}

const ID_RULE = {
  pattern: /[1-9][0-9]{0,18}/,
  expected: 'Enter the number of a message, for example 347.',
}

/** @param url of the source that the list begins with; empty for none */
export const sourceList = (url = ''): Html =>
  fieldList({
    one: 'Source',
    hint: `Optional: what the text is based on, at most ${MAX_SOURCES}.`,
    max: MAX_SOURCES,
    fields: sourceFields(''),
    ...(url && { given: item('Source', sourceFields(url)) }),
  })

const sourceFields = (url: string): Html =>
  html`${textField({
    name: 'sources[0].url',
    label: 'Address',
    limit: [MAX_URL, 'bytes'],
    required: 'Enter its address, or remove the source.',
    rule: URL_RULE,
    value: url,
  })}
${textField({ name: 'sources[0].note', label: 'Note (optional)', limit: [MAX_NOTE_BYTES, 'bytes'], rows: 2 })}`

/** @param given the link that the list begins with; null for none */
export const linkList = (given: Reference | null): Html =>
  fieldList({
    one: 'Link',
    hint: `Messages that this one refers to, at most ${MAX_LINKS}. A correction or a use needs one.`,
    max: MAX_LINKS,
    chip: linkChip(null),
    ...(given && { given: linkChip(given) }),
    fields: html`<div class="field">
<label for="${idOf('links[0].relation')}">This text</label>
<select id="${idOf('links[0].relation')}" name="links[0].relation">
  ${RELATIONS.map((relation) => html`<option value="${relation}">${RELATION_WORDS[relation].does}</option>`)}
</select>
</div>
${textField({ name: 'links[0].message_id', label: 'Message number', required: ID_RULE.expected, rule: ID_RULE })}`,
  })
