// axe-core on a page: what of WCAG 2.2 A and AA, and of good practice, a machine can see broken.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface Axe {
  run(
    context: Document,
    options: object,
  ): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[]
  }>
}

/** One line for each element that breaks a rule. */
export async function violationsOn(page: Page): Promise<string[]> {
  // Not a script element: the page's policy would refuse it.
  await page.evaluate(source)
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Without the preload, which waits for media that the tests' days do not have.
    const { violations } = await axe.run(document, { runOnly: tags, preload: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
  }, TAGS)
}
