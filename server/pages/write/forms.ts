// Renders the forms that publish records, each with a curl command that does the same, and the page with the form for a
// message in any directory. static/write/form.ts sends them.

import { leavesUrl } from '../../../archive/format/paths.ts'
import { BOARD, type MessageRecord } from '../../board/api.ts'
import { MAX_PATH } from '../../board/rules.ts'
import { INVESTIGATIONS } from '../../investigations/api.ts'
import { type Link, MAX_TITLE } from '../../investigations/rules.ts'
import type { InvestigationsView, InvestigationView } from '../../investigations/views.ts'
import { MODERATION_URL } from '../../moderation/api.ts'
import type { PublishingContext } from '../../publishing/create.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { quotedWords } from '../board/answering.ts'
import { closedNotice, layout } from '../frame/layout.ts'
import type { ScriptName } from '../frame/scripts.ts'
import { publishCommand } from '../parts/command.ts'
import { type Html, html } from '../parts/html.ts'
import {
  answerChip,
  bodyField,
  type DirectoryChoice,
  directoryField,
  FORM_ID,
  kindField,
  linkList,
  NAME_FIELD,
  PATH_RULE,
  sourceList,
  textField,
} from './form-fields.ts'

/** The script of a page's form; undefined if the page has no form because publishing is off. */
export const scriptOf = ({ closed }: PublishingContext): ScriptName | undefined =>
  closed === null ? 'write-form' : undefined

export const directoryForm = (place: PublishingContext): Html | string =>
  form({
    title: 'Create a directory',
    button: 'Create',
    kind: 'directory',
    place: '',
    address: BOARD.createDirectory.path,
    context: place,
    example: { path: 'guestbook' },
    fields: html`${textField({
      name: 'path',
      label: 'Path',
      hint: 'Lower case, such as garden/pond. The part before the last slash must exist.',
      limit: [MAX_PATH, 'characters'],
      required: 'Name the new directory, for example garden.',
      rule: PATH_RULE,
    })}
${NAME_FIELD}`,
  })

/** An existing directory for the curl command. A board without any offers the form of a directory instead. */
const exampleDirectory = ({ chosen, suggested }: DirectoryChoice): string =>
  chosen || suggested[0] || 'guestbook'

/**
 * @param directory the target's path, or the directories to choose from
 * @param answered the message that the new one answers
 */
export function messageForm(
  context: PublishingContext,
  directory: string | DirectoryChoice,
  answered: MessageRecord | null = null,
): Html | string {
  const choice = typeof directory === 'string' ? null : directory
  const path = choice?.chosen ?? String(directory)
  const body = answered ? `I do.\n\n${messageUrl(answered.id)}` : 'Hello.'
  return form({
    title: choice ? 'Your message' : 'Write here',
    kind: 'message',
    place: answered ? messageUrl(answered.id) : path,
    address: BOARD.createMessage.path,
    context,
    example: { directory: choice ? exampleDirectory(choice) : path, body },
    fields: html`${answered ? answerChip(answered) : ''}
${choice ? directoryField(choice) : html`<input type="hidden" name="directory" value="${path}">`}
${bodyField('Message', answered !== null)}
${NAME_FIELD}`,
  })
}

export function investigationForm(view: InvestigationsView): Html | string {
  const { about, suggested } = view
  const choice = { chosen: about?.directory ?? '', suggested }
  const source = about ? view.baseUrl + messageUrl(about.id) : ''
  return form({
    title: about
      ? html`About <q dir="auto">${quotedWords(about.id, about.body)}</q>`
      : 'Ask a question',
    button: 'Ask',
    kind: 'investigation',
    place: about ? messageUrl(about.id) : '',
    address: INVESTIGATIONS.createInvestigation.path,
    context: view,
    example: {
      directory: exampleDirectory(choice),
      title: 'Who hears it?',
      body: 'Where, and how?',
      ...(about && { sources: [{ url: source }] }),
    },
    fields: html`${textField({
      name: 'title',
      label: 'Question (one line)',
      limit: [MAX_TITLE, 'characters'],
      required: 'Ask your question in one line.',
      autofocus: about !== null,
    })}
${bodyField('What you know, and what you want to find out')}
${directoryField(choice)}
${sourceList(source)}
${NAME_FIELD}`,
  })
}

/** The kind of contribution that a relation implies; the others leave it to the author. */
const KIND_OF: Partial<Record<Link['relation'], 'correction' | 'reuse'>> = {
  corrects: 'correction',
  reuses: 'reuse',
}

export function contributionForm(view: InvestigationView): Html | string {
  const { refers_to: refersTo, investigation } = view
  const id = String(investigation.investigation_id)
  const kind = refersTo && KIND_OF[refersTo.relation]
  const link = refersTo && { message_id: refersTo.message.id, relation: refersTo.relation }
  return form({
    title: 'Contribute',
    kind: 'contribution',
    place: id,
    address: INVESTIGATIONS.createContribution.path.replace(':id', id),
    context: view,
    example: { kind: kind ?? 'observation', body: 'What you saw.', ...(link && { links: [link] }) },
    fields: html`${kindField(kind)}
${linkList(refersTo)}
${bodyField('Text')}
${sourceList()}
${NAME_FIELD}`,
  })
}

interface Form {
  title: Html | string
  /** The word on the button. */
  button?: string
  /** With `place`, identifies the stored draft. */
  kind: string
  place: string
  address: string
  context: PublishingContext
  /** The request of the curl command. */
  example: object
  fields: Html
}

/** Empty while publishing is off: a notice at the top of the page says so. */
function form(given: Form): Html | string {
  const { title, button = 'Publish', kind, place, address, context, example, fields } = given
  return context.closed === null
    ? html`<section class="write" id="${FORM_ID}" aria-labelledby="${FORM_ID}-heading">
<h2 id="${FORM_ID}-heading">${title}</h2>
<noscript><p>This form needs JavaScript. You can publish from a terminal instead:</p>
${publishCommand(context.baseUrl, address, example)}</noscript>
<form class="publish" method="post" novalidate data-address="${address}" data-kind="${kind}"
  data-place="${place}" data-sound="${context.sound_time}" data-leaves="${leavesUrl('DAY')}"
  data-message="${messageUrl(':id')}">
<div class="errors" tabindex="-1" hidden></div>
${fields}
<p class="warning">Public at once. You cannot edit or delete it; only <a href="${MODERATION_URL}#reach">the operator</a> can hide it.</p>
<p class="act">
  <button type="submit" disabled>${button}</button>
  <button type="button" class="discard" hidden>Discard draft</button>
</p>
<p class="state" role="status"></p>
</form>
<div class="published" tabindex="-1" hidden></div>
</section>`
    : ''
}

export interface WriteView extends PublishingContext, DirectoryChoice {
  /** The message that the new one answers; null if none was chosen. */
  answered: MessageRecord | null
}

export const writePage = (view: WriteView): string =>
  layout(view, {
    title: 'Write a message',
    description: 'Publish plain text on a public board, without an account.',
    section: 'write',
    script: scriptOf(view),
    main: html`<h1 class="before-publishing">${view.answered === null ? 'Write a message' : `Answer message ${view.answered.id}`}</h1>
${view.closed === null ? formOf(view) : closedNotice(view.closed)}`,
  })

const formOf = (view: WriteView): Html =>
  view.suggested.length === 0
    ? html`<p class="before-publishing">Messages are in directories, and there is none yet. Create the first one, then write in it.</p>
${directoryForm(view)}`
    : html`${
        view.answered === null &&
        html`<p class="before-publishing">
  Publish plain text in a <a href="/directories">directory</a>. To ask a question that others can
  answer, open an <a href="/investigations">investigation</a>.
</p>`
      }
${messageForm(view, view, view.answered)}`
