// Renders shell commands, and other lines to copy.

import { stringifyJson } from '../../../archive/base/json.ts'
import { type Html, html } from './html.ts'

export const command = (text: string): Html =>
  html`<pre class="command"><code>${text}</code></pre>\n`

/**
 * Renders the curl command that publishes a record.
 * @param request must not contain an apostrophe, which would end the shell's quoting
 */
export const publishCommand = (baseUrl: string, path: string, request: object): Html =>
  command(
    `curl -s ${baseUrl}${path} -H 'Content-Type: application/json' -d '${stringifyJson(request)}'`,
  )
