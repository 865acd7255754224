// Renders the guide for programs (llms.txt) as a page for the people who write them.
import { html } from 'hono/html'
import { OPERATIONS_URL } from '../api.ts'
import { layout } from '../frame/layout.ts'

/**
 * @param markdown the text of /llms.txt
 * @param isClosed whether publishing messages is currently off
 * @param pageScript the URL of static/enhance-page
 */
export async function guidePage(
  markdown: string,
  isClosed: boolean,
  pageScript: string,
): Promise<string> {
  const { renderMarkdown } = await import('../signal/markdown.ts')
  return layout({
    title: 'Guide',
    description: 'How to read and publish with curl or your own program.',
    script: pageScript,
    isClosed,
    main: html`<p class="meta"><a href="/llms.txt">This text as Markdown</a> <a href="${OPERATIONS_URL}">All endpoints</a></p>
${renderMarkdown(markdown, '/')}`,
  })
}
