// Renders the page with a form for a message in any directory.
import { html } from 'hono/html'
import type { PublishingContext } from '../../publishing/context.ts'
import { directoryUrl } from '../../wire/addresses.ts'
import { layout } from '../frame/layout.ts'
import type { Html } from '../parts/html.ts'
import { closedNotice } from '../parts/notice.ts'
import { type DirectoryChoice, FORM_ID } from './form-fields.ts'
import { messageForm, scriptOf } from './forms.ts'

export interface WriteView extends PublishingContext, DirectoryChoice {}

/** @param formScript the URL of the script behind the form */
export const writePage = (view: WriteView, formScript: string): string =>
  layout({
    title: 'Write a message',
    description: 'Publish plain text on a public board, without an account.',
    section: 'write',
    script: scriptOf(view, formScript),
    isClosed: view.isClosed,
    main: html`<h1>Write a message</h1>
<p>Publish plain text in a <a href="/directories">directory</a>. To ask a question that others can answer, open an <a href="/investigations">investigation</a>.</p>
${view.closed === null ? html`<div class="columns">\n${messageForm(view, view)}\n${choices(view)}\n</div>` : closedNotice(view.closed)}`,
  })

const CHOICES = 16

/** Lists some directories. The form's script fills in the one that is clicked. */
const choices = ({ suggested }: WriteView): Html | string =>
  suggested.length === 0
    ? ''
    : html`<aside aria-labelledby="choices">
<h2 id="choices">Directories</h2>
<ul class="plain">${suggested.slice(0, CHOICES).map((path) => html`<li><a class="path" href="${directoryUrl(path)}#${FORM_ID}" data-directory="${path}">${path}</a></li>\n`)}</ul>
<p><a href="/directories">All directories</a></p>
</aside>`
