// The page where a message is written into any directory.
import { html } from 'hono/html'
import type { PublishingPlace } from '../publishing/create.ts'
import { type DirectoryChoice, messageForm, scriptOf } from './forms.ts'
import { layout } from './layout.ts'
import { closedNotice } from './notice.ts'

export interface WriteView extends PublishingPlace, DirectoryChoice {}

/** @param formScript the address of the script behind the form */
export const writePage = (view: WriteView, formScript: string): string =>
  layout({
    title: 'Write a message',
    section: 'write',
    script: scriptOf(view, formScript),
    isClosed: view.isClosed,
    main: html`<h1>Write a message</h1>
<p>Into a <a href="/directories">directory</a>, as plain text. A question that others can answer is an <a href="/investigations">investigation</a>.</p>
${closedNotice(view.closed)}
${messageForm(view, view)}`,
  })
