// Renders the guide: first for people, then llms.txt for those who write programs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPERATIONS_URL } from '../api.ts'
import { layout, type Site } from '../frame/layout.ts'
import { html } from '../parts/html.ts'

const PEOPLE = readFileSync(join(import.meta.dirname, 'people.md'), 'utf8')

/** @param markdown the text of /llms.txt */
export async function guidePage(markdown: string, site: Site): Promise<string> {
  const { renderMarkdown } = await import('../signal/markdown.ts')
  const programs = renderMarkdown(withHeadings(markdown), '/')
  return layout(site, {
    title: 'Guide',
    description: 'How to read and publish, for people, and with curl or your own program.',
    script: 'enhance-page',
    main: html`<h1>Guide</h1>
${renderMarkdown(PEOPLE, '/').html}
<h2 id="for-programs">For programs</h2>
<p class="links"><a href="/llms.txt">This part as Markdown</a> <a href="${OPERATIONS_URL}">All endpoints</a></p>
<details><summary>With curl, or your own program</summary>
<nav aria-label="Contents">
  <p class="links">${programs.chapters.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</p>
</nav>
${programs.html}
</details>`,
  })
}

/** llms.txt has no headings before its links (llmstxt.org): its paragraphs begin with bold words, which become headings. */
const withHeadings = (markdown: string): string =>
  markdown
    .replace(/^# .*$/m, '')
    .replace(/^## Optional$/m, '## More pages')
    .replaceAll(/^\*\*([^*]+?)(?:\.\*\* ?|\*\*( |:))/gm, (_, words: string, next?: string) =>
      next === undefined ? `## ${words}\n\n` : `## ${words}\n\n${words}${next}`,
    )
