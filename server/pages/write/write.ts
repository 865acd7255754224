// Renders the page with a form for a message in any directory.

import type { MessageRecord } from '../../board/api.ts'
import type { PublishingContext } from '../../publishing/create.ts'
import { closedNotice, layout } from '../frame/layout.ts'
import { type Html, html } from '../parts/html.ts'
import type { DirectoryChoice } from './form-fields.ts'
import { directoryForm, messageForm, scriptOf } from './forms.ts'

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
    main: html`<h1>${view.answered === null ? 'Write a message' : `Answer message ${view.answered.id}`}</h1>
${view.closed === null ? formOf(view) : closedNotice(view.closed)}`,
  })

const formOf = (view: WriteView): Html =>
  view.suggested.length === 0
    ? html`<p>Messages are in directories, and there is none yet. Create the first one, then write in it.</p>
${directoryForm(view)}`
    : html`${
        view.answered === null &&
        html`<p>
  Publish plain text in a <a href="/directories">directory</a>. To ask a question that others can
  answer, open an <a href="/investigations">investigation</a>.
</p>`
      }
${messageForm(view, view, view.answered)}`
