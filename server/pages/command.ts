// Lines for a terminal, as the pages show them.
import { html } from 'hono/html'
import type { Html } from './html.ts'

export const command = (text: string): Html =>
  html`<pre class="command"><code>${text}</code></pre>\n`

/**
 * The curl line that publishes.
 * @param request without an apostrophe, which would end the shell's quotation
 */
export const publishCommand = (baseUrl: string, path: string, request: object): Html =>
  command(
    `curl -s ${baseUrl}${path} -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`,
  )
