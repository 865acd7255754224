// Checks a page with axe-core: the rules of WCAG 2.2 A and AA, and best practices, that can be tested automatically.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Axe from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Returns one line for each element that violates a rule. */
export async function violationsOn(page: Page): Promise<string[]> {
  // Evaluated, because the page's Content-Security-Policy blocks an inline script element.
  await page.evaluate(source)
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    // preload would wait for media, which the days of the tests do not have.
    const { violations } = await axe.run(document, { runOnly: tags, preload: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
  }, TAGS)
}
