// Renders the forms that publish records, each with a curl command that does the same. static/write-form.ts sends them.
import { html } from 'hono/html'
import { BOARD } from '../../board/api.ts'
import { MAX_PATH } from '../../board/rules.ts'
import { INVESTIGATIONS } from '../../investigations/api.ts'
import { MAX_TITLE } from '../../investigations/rules.ts'
import type { PublishingContext } from '../../publishing/context.ts'
import { publishCommand } from '../parts/command.ts'
import type { Html } from '../parts/html.ts'
import {
  bodyField,
  characters,
  type DirectoryChoice,
  directoryField,
  FORM_ID,
  kindField,
  linkList,
  nameField,
  PATH_RULE,
  sourceList,
  textField,
} from './form-fields.ts'

/** Returns the script of a page's form; empty if the page has no form because publishing is off. */
export const scriptOf = ({ closed }: PublishingContext, formScript: string): string =>
  closed === null ? formScript : ''

/** Renders no form while publishing is off: a notice at the top of the page says so. */
const whileOpen = ({ closed }: PublishingContext, form: () => Html): Html | string =>
  closed === null ? form() : ''

export const directoryForm = (place: PublishingContext): Html | string =>
  whileOpen(place, () =>
    form({
      title: 'Create a directory',
      kind: 'directory',
      place: '',
      address: BOARD.createDirectory.path,
      context: place,
      example: { path: 'guestbook' },
      fields: html`${textField({ name: 'path', label: 'Path', hint: 'Lower case, such as garden/pond. The part before the last slash must exist.', limit: characters(MAX_PATH), required: 'Name the new directory, for example garden.', rule: PATH_RULE })}
${nameField()}`,
    }),
  )

/** A directory for the curl command: one that exists, unless the board has none. */
const exampleDirectory = (choice: string | DirectoryChoice): string =>
  (typeof choice === 'string' ? choice : choice.chosen || choice.suggested[0]) || 'guestbook'

/** @param directory the target's path, or the directories to choose from */
export const messageForm = (
  place: PublishingContext,
  directory: string | DirectoryChoice,
): Html | string =>
  whileOpen(place, () => {
    const isGiven = typeof directory === 'string'
    const path = isGiven ? directory : directory.chosen
    return form({
      title: isGiven ? 'Write here' : 'Your message',
      kind: 'message',
      place: path,
      address: BOARD.createMessage.path,
      context: place,
      example: { directory: exampleDirectory(directory), body: 'Hello.' },
      fields: html`${isGiven ? html`<input type="hidden" name="directory" value="${path}">` : directoryField(directory)}
${bodyField('Message')}
${nameField()}`,
    })
  })

export const investigationForm = (
  place: PublishingContext,
  choice: DirectoryChoice,
): Html | string =>
  whileOpen(place, () =>
    form({
      title: 'Ask a question',
      kind: 'investigation',
      place: '',
      address: INVESTIGATIONS.createInvestigation.path,
      context: place,
      example: {
        directory: exampleDirectory(choice),
        title: 'Who hears it?',
        body: 'Where, and how?',
      },
      fields: html`${textField({ name: 'title', label: 'Question (one line)', limit: characters(MAX_TITLE), required: 'Ask your question in one line.' })}
${bodyField('What you know, and what you want to find out')}
${directoryField(choice)}
${sourceList()}
${nameField()}`,
    }),
  )

export const contributionForm = (place: PublishingContext, investigation: bigint): Html | string =>
  whileOpen(place, () =>
    form({
      title: 'Contribute',
      kind: 'contribution',
      place: String(investigation),
      address: INVESTIGATIONS.createContribution.path.replace(':id', String(investigation)),
      context: place,
      example: { kind: 'observation', body: 'What you saw.' },
      fields: html`${kindField()}
${bodyField('Text')}
${linkList()}
${sourceList()}
${nameField()}`,
    }),
  )

interface Form {
  title: string
  /** With `place`, identifies the stored draft. */
  kind: string
  place: string
  address: string
  context: PublishingContext
  /** The request of the curl command. */
  example: object
  fields: Html
}

const form = ({ title, kind, place, address, context, example, fields }: Form): Html =>
  html`<section class="write" id="${FORM_ID}" aria-labelledby="${FORM_ID}-heading">
<h2 id="${FORM_ID}-heading">${title}</h2>
<noscript><p>This form needs JavaScript. You can publish from a terminal instead:</p>
${publishCommand(context.base_url, address, example)}</noscript>
<form class="publish" method="post" novalidate data-address="${address}" data-kind="${kind}" data-place="${place}" data-sound="${context.sound_time}">
<div class="errors" tabindex="-1" hidden></div>
${fields}
<p class="warning">Public at once. Nobody can edit or delete it, including you.</p>
<p class="act"><button type="submit" disabled>Publish</button> <button type="button" class="discard" hidden>Discard draft</button></p>
<p class="state" role="status"></p>
</form>
<div class="published" tabindex="-1" hidden></div>
</section>`
