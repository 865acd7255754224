// Renders the notice that publishing is currently off.

import { MODERATION_URL } from '../../moderation/api.ts'
import { type Html, html } from './html.ts'

/** @param closed the reason as a sentence; null if publishing is on */
export const closedNotice = (closed: string | null): Html | string =>
  closed === null
    ? ''
    : html`<p class="notice" role="note">${closed} Reading still works. <a href="${MODERATION_URL}">Record of moderation</a></p>`
