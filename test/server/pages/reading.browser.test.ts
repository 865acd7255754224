// Reading the board in Chromium: threads, print and forced colours, and layout shifts.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { elapse } from '../../support/time.ts'
import { TAME } from './site.ts'
import { siteInChromium } from './visitor.ts'

/** The text spacing that a page must bear (WCAG 2.2, 1.4.12). */
const WIDE_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'
/** Limit for the sum of a page's layout shifts, too small to see. */
const MAX_SHIFTS = 0.001
/** Starts a proxy that sends the lines of a page one after another, as a slow network does. Returns its URL. */
async function inPieces(url: string): Promise<string> {
  const proxy = createServer(async ({ url: path }, response) => {
    const answer = await fetch(url + path)
    const type = answer.headers.get('content-type') ?? ''
    response.setHeader('content-type', type)
    const body = Buffer.from(await answer.arrayBuffer())
    if (!type.startsWith('text/html')) return response.end(body)
    for (const line of body.toString().split(/(?<=\n)/)) {
      response.write(line)
      await elapse(
        25,
        'longer than a frame, so that each line is painted before the next one arrives',
      )
    }
    response.end()
  })
  onTestFinished(() => void proxy.close())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

type Looks = NonNullable<Parameters<Browser['newPage']>[0]>

describe.skipIf(!HAS_CHROMIUM)('reading in Chromium', () => {
  const at = siteInChromium(TAME)

  /** Opens a path in a new page, and closes it after `use`. */
  async function on(path: string, use: (page: Page) => Promise<void>, looks: Looks = {}) {
    const page = await at.browser.newPage({ viewport: { width: 1440, height: 900 }, ...looks })
    await page.goto(at.site.service.url + path)
    await use(page)
    await page.close()
  }

  test('a copy button states whether the command was copied', () =>
    on('/messages/3', async (page) => {
      const errors: Error[] = []
      page.on('pageerror', (error) => errors.push(error))
      for (const [outcome, words] of [
        ['reject', 'Not copied'],
        ['resolve', 'Copied'],
      ] as const) {
        await page.evaluate((how) => {
          navigator.clipboard.writeText = () => Promise[how]()
        }, outcome)
        await page.evaluate(() => document.querySelector('details')?.setAttribute('open', ''))
        await page.locator('.copy').first().click()
        await page.waitForSelector(`.copy:text-is("${words}")`)
      }
      expect(errors).toEqual([])
    }))

  test('the heading of a day stays visible above its messages', () =>
    on('/d/lab', async (page) => {
      await page.evaluate(() => window.scrollTo(0, 900))
      expect(await page.$eval('.of-day h3', (day) => day.getBoundingClientRect().top)).toBe(0)
    }))

  test.each([390, 1440])('a thread states its references in words at %i pixels', (width) =>
    on(
      '/investigations/1',
      async (page) => {
        for (const words of ['Corrected by', 'extended by', 'supports', 'uses'])
          expect(await page.getByText(words).first().isVisible(), words).toBe(true)
      },
      { viewport: { width, height: 900 } },
    ),
  )

  test('at widths between phone and desktop the cells of a month and the hashes of files are not cut off', async () => {
    for (const width of [390, 600, 768, 900, 1024])
      for (const path of ['/transmissions', '/transmissions/2026-11-19'])
        await on(
          path,
          async (page) => {
            const cut = await page.$$eval('.cell, [aria-labelledby=files] .scroll', (found) =>
              found
                .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
                .map(({ className }) => className),
            )
            expect(cut, `${path} at ${width}`).toEqual([])
          },
          { viewport: { width, height: 900 } },
        )
  })

  test('with text at 200 % no page is wider than a phone', async () => {
    // A browser option, because media queries must see the larger text too.
    const sizes = '--blink-settings=defaultFontSize=32,defaultFixedFontSize=26'
    const large = await launchChromium([sizes])
    const page = await large.newPage({ bypassCSP: true, viewport: { width: 390, height: 900 } })
    const over: string[] = []
    const check = async (what: string) => {
      const isOver = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return scrollWidth > clientWidth
      })
      if (isOver) over.push(what)
    }
    for (const path of at.site.paths) {
      await page.setViewportSize({ width: 320, height: 900 })
      await page.goto(at.site.service.url + path)
      await check(`${path} at 320 px`)
      await page.setViewportSize({ width: 390, height: 900 })
      await check(`${path} at 390 px`)
      await page.addStyleTag({ content: WIDE_SPACING })
      await check(`${path} at 390 px with wide spacing`)
    }
    expect(over).toEqual([])
  })

  test('a printed page is light and has the URLs of its sources, without forms and action links', () =>
    on(
      '/investigations/1',
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
        for (const hidden of ['form', 'body .act', 'header nav', '.refer'])
          expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
        const { ground, address } = await page.evaluate(() => ({
          ground: getComputedStyle(document.documentElement).backgroundColor,
          address: getComputedStyle(document.querySelector('.sources a')!, '::after').content,
        }))
        expect(address).toContain('https://example.org/frost')
        expect(lightness(ground)).toBeGreaterThan(0.9)
      },
      { colorScheme: 'dark' },
    ))

  test('with forced colours the current section is marked, and kinds keep their blocks', () =>
    on(
      '/investigations/1',
      async (page) => {
        const marked = await page.$$eval('header nav a', (links) =>
          links
            .filter((link) => getComputedStyle(link).textDecorationLine.includes('underline'))
            .map(({ textContent }) => textContent),
        )
        expect(marked).toEqual(['Investigations'])
        const block = await page.$eval(
          '.kind',
          (kind) => getComputedStyle(kind, '::before').backgroundColor,
        )
        expect(block).not.toBe('rgba(0, 0, 0, 0)')
      },
      { forcedColors: 'active' },
    ))

  describe('performance', () => {
    const shiftsOf = (page: Page) =>
      page.evaluate(() => (window as { shifts?: number }).shifts ?? 0)

    test('the layout of no page shifts', async () => {
      const page = await at.browser.newPage({ viewport: { width: 390, height: 900 } })
      await page.addInitScript(recordShifts)
      const over: Record<string, number> = {}
      for (const path of at.site.paths) {
        await page.goto(at.site.service.url + path)
        const shifts = await shiftsOf(page)
        if (shifts > MAX_SHIFTS) over[path] = shifts
      }
      expect(over).toEqual({})
      await page.close()
    })

    test('a page that arrives line by line does not shift', async () => {
      const url = await inPieces(at.site.service.url)
      const page = await at.browser.newPage({ viewport: { width: 390, height: 900 } })
      await page.addInitScript(recordShifts)
      for (const path of ['/moderation', '/transmissions/listen']) {
        await page.goto(url + path)
        const shifts = await shiftsOf(page)
        expect([path, shifts]).toEqual([path, expect.closeTo(0, 3)])
      }
      await page.close()
    })
  })
})

type Shift = PerformanceEntry & { value: number; sources: { node: Element | null }[] }

/** Runs in the page before its load: adds up its layout shifts, except those within the browser's own player. */
function recordShifts(): void {
  const isPlayer = (node: Element | null) => node === null || node.localName === 'audio'
  new PerformanceObserver((list) => {
    const view = window as { shifts?: number }
    for (const { value, sources } of list.getEntries() as Shift[])
      if (!sources.every(({ node }) => isPlayer(node))) view.shifts = (view.shifts ?? 0) + value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Returns the mean of the channels of `rgb(…)`, 0 to 1. */
const lightness = (colour: string): number => {
  const channels = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
  return channels.reduce((sum, channel) => sum + channel, 0) / 3 / 255
}
