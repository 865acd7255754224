// Every page in Chromium, at phone and desktop widths, and in both colour schemes: no errors, no requests to other origins,
// no overflow, no violation that axe-core finds, also of a form in use; and readable text.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violationsOn } from '../../support/axe.ts'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { TAME } from './site.ts'
import { siteInChromium, watched } from './visitor.ts'

const HOSTILE = {
  line: `<img src=x onerror="window.broken=1">${'م'.repeat(30)}`,
  text: `\n  <script>window.broken=2</script>${'W'.repeat(300)}\n\t${'界'.repeat(30)}\nمرحبا 🦔`,
  url: `${'long-'.repeat(80)}"onclick="window.broken=3`,
}

/** Each width with one of the colour schemes, which differ in nothing but the colours of style.test.ts. */
const LOOKS = [
  { width: 360, colorScheme: 'light', control: 44 },
  { width: 1400, colorScheme: 'dark', control: 24 },
] as const

describe.skipIf(!HAS_CHROMIUM)('pages in Chromium', () => {
  const at = siteInChromium(HOSTILE)
  const tame = siteInChromium(TAME)
  const url = (path: string) => at.site.service.url + path

  describe.each(LOOKS)('at $width pixels, $colorScheme', ({ width, colorScheme, control }) => {
    const inLooks = async (use: (page: Page, complaints: string[]) => Promise<void>) => {
      const viewport = { width, height: 900 }
      const context = await at.browser.newContext({ viewport, colorScheme })
      await use(...(await watched(context, url(''))))
      await context.close()
    }

    test(`no page breaks, all text is in one of six sizes, each heading has room, each link is 24 and each control at least ${control} pixels high`, () =>
      inLooks(async (page, complaints) => {
        const headline = { kind: 'result', body: 'م'.repeat(8192) }
        await at.site.service.publish.contribution(1n, headline)
        for (const path of at.site.paths) {
          complaints.length = 0
          const answer = await page.goto(url(path))
          const expected = answer?.status() === 200 ? [] : [expect.stringContaining('status of')]
          expect(
            complaints.filter((text) => !isFakeMedium(text)),
            path,
          ).toEqual(expected)
          const state = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement
            return { overflow: scrollWidth - clientWidth, broken: 'broken' in window }
          })
          expect(state, path).toEqual({ overflow: 0, broken: false })
          expect(await page.evaluate(misfits, control), path).toEqual([])
        }
      }))

    test('each page passes axe', { timeout: 240_000 }, () =>
      inLooks(async (page) => {
        for (const path of tame.site.paths) {
          await page.goto(tame.site.service.url + path)
          expect(await violationsOn(page), path).toEqual([])
        }
      }),
    )

    test('a form in use passes axe', () =>
      inLooks(async (page) => {
        await page.goto(`${tame.site.service.url}/investigations/1`)
        await page.check('[value=correction]')
        await page.click('text=Add a source')
        await page.fill('[name=body]', 'in use')
        await page.click('button[type=submit]')
        await page.waitForSelector('.errors:not([hidden])')
        expect(await violationsOn(page)).toEqual([])
        await page.click('text=Remove source 1')
        await page.click('text=Remove link 1')
        await page.check('[value=result]')
        await page.click('button[type=submit]')
        await page.waitForSelector('.published:not([hidden])')
        expect(await violationsOn(page)).toEqual([])
      }))
  })

  test('the cells of the table at /moderation are below their headings', async () => {
    const page = await at.browser.newPage({ viewport: { width: 1400, height: 900 } })
    await page.goto(url('/moderation'))
    const leftOf = (cells: string) =>
      page.$$eval(cells, (found) => found.map((cell) => cell.getBoundingClientRect().left))
    const headings = await leftOf('.moderated thead th')
    expect(headings.length).toBeGreaterThan(2)
    expect(await leftOf('.moderated tbody:first-of-type tr:first-child > *')).toEqual(headings)
    await page.close()
  })

  test('the body of a message keeps its lines and spaces, and each line has its own direction', async () => {
    const body = '\n  indented\n\n\ttab  two spaces\nمرحبا'
    const id = await at.site.service.publish.message('lab', body)
    const page = await at.browser.newPage()
    await page.goto(url(`/messages/${id}`))
    const shown = await page.$eval('.body', (element) => ({
      text: element.textContent,
      space: getComputedStyle(element).whiteSpaceCollapse,
      bidi: getComputedStyle(element).unicodeBidi,
    }))
    expect(shown).toEqual({ text: body, space: 'preserve', bidi: 'plaintext' })
    await page.close()
  })

  test('the skip link is the first to receive the focus, leads past the navigation, and the focus is visible', async () => {
    const page = await at.browser.newPage()
    await page.goto(url('/investigations/1'))
    await page.keyboard.press('Tab')
    const skip = await page.evaluate(() => {
      const { top, height } = document.activeElement!.getBoundingClientRect()
      return { text: document.activeElement!.textContent, isShown: top >= 0 && height > 0 }
    })
    expect(skip).toEqual({ text: 'Skip to content', isShown: true })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    const after = await page.evaluate(() => ({
      isInMain: document.activeElement!.closest('main') !== null,
      outline: Number.parseFloat(getComputedStyle(document.activeElement!).outlineWidth),
    }))
    expect(after.isInMain).toBe(true)
    expect(after.outline).toBeGreaterThanOrEqual(2)
    await page.close()
  })
})

/**
 * Runs in the page: describes text of another size, headings that are wider than their boxes, and targets that are too
 * small. A link in running text may be narrow.
 * @param control the height of buttons, fields and entries of the navigation [px]
 */
function misfits(control: number): string[] {
  const sizes = ['13px', '15px', '17px', '20px', '30px', '50px']
  const controls = 'a.act, button, input, select, textarea, body > header nav a'
  return [...document.body.querySelectorAll<HTMLElement>(':not(svg, svg *)')].flatMap((element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return []
    const { fontSize, display } = getComputedStyle(element)
    const hasText = [...element.childNodes].some(
      ({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim(),
    )
    const faults: string[] = []
    if ((hasText || element.matches(controls)) && !sizes.includes(fontSize)) faults.push(fontSize)
    if (element.matches('h1') && element.scrollWidth > element.clientWidth) faults.push('cut')
    if (element.matches(`a, summary, ${controls}`)) {
      const { width } = element.getBoundingClientRect()
      const height = Math.min(...[...element.getClientRects()].map((line) => line.height))
      const isLow = height < (element.matches(controls) ? control : 24)
      if (isLow || (width < 24 && display !== 'inline')) faults.push(`${width} x ${height}`)
    }
    return faults.map((fault) => `${element.outerHTML.slice(0, 100)}: ${fault}`)
  })
}

/** The media of the test are a few bytes that no browser can play. */
const isFakeMedium = (complaint: string) => /DEMUXER|decode/i.test(complaint)
