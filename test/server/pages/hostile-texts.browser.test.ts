// Forty hostile texts wherever the board shows user text, in Chromium: none runs, and none leaves its box.
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { operated } from '../../support/operator.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { asLine, cutTo, HOSTILE_TEXTS } from './hostile-texts.ts'
import { watched } from './site-in-chromium.ts'

const LABEL = { characters: 80, bytes: 320 }
const TITLE = { characters: 200, bytes: 800 }
const NOTE = { characters: 500, bytes: 500 }

/** The records that were published from one text. */
interface Case {
  text: string
  investigation: bigint
  question: bigint
  correction: bigint
}

describe.skipIf(!HAS_CHROMIUM)('hostile texts in Chromium', () => {
  let service: TestService
  let browser: Browser
  const cases: Case[] = []
  beforeAll(async () => {
    service = await startTestService()
    await service.publish.directory('all')
    for (const [i, text] of HOSTILE_TEXTS.entries()) cases.push(await publishEverywhere(i, text))
    browser = await launchChromium()
  }, 120_000)

  async function publishEverywhere(i: number, text: string): Promise<Case> {
    const board = service.publish
    const [title, label] = [asLine(text, TITLE), asLine(text, LABEL)]
    const note = cutTo(text, NOTE)
    await service.client.post('/api/v1/directories', { path: `all/${i}`, author_label: label })
    const record = { body: text, author_label: label, sources: [{ url: addressOf(text), note }] }
    const { id, root } = await board.investigation('all', { ...record, title })
    const observation = await board.contribution(id, { ...record, links: [link(root, 'extends')] })
    const correction = await board.contribution(id, {
      ...record,
      kind: 'correction',
      links: [link(observation, 'corrects')],
    })
    const review = ['--outcome', 'substantiated', `--reason=${note}`, `--evidence-note=${note}`]
    await operated(service, 'review', String(correction), ...review)
    const answer = cutTo(text, { bytes: 16_000, characters: 16_000 })
    await board.message('all', `${answer}\n\n/messages/${root}`)
    return { text, investigation: id, question: root, correction }
  }

  const link = (message_id: bigint, relation: string) => ({ message_id, relation })

  /** The pages that show the text of one case; `lists` has those that show several. */
  const pagesOf = ({ investigation, question, correction }: Case): string[] => [
    `/investigations/${investigation}`,
    `/messages/${question}`,
    `/messages/${correction}`,
  ]
  const lists = [
    ...['/', '/directories', '/d/all', '/d/all?messages_after=0', '/d/all?messages_before=60'],
    ...['/investigations', '/investigations?after=0', '/investigations?after=20'],
    ...['/continuity', '/continuity?after=20', '/investigations/999', '/d/all/39'],
  ]

  test('no text runs a script or leaves its box, at phone and desktop widths', {
    timeout: 300_000,
  }, async () => {
    const context = await browser.newContext()
    const [page, complaints] = await watched(context, service.url)
    const crossed: Record<string, string[]> = {}
    for (const path of [...lists, ...cases.flatMap(pagesOf)]) {
      const answer = await page.goto(service.url + path)
      const expected = answer?.status() === 404 ? [expect.stringContaining('404')] : []
      expect(complaints.splice(0), path).toEqual(expected)
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate(crossings)
        if (found.length > 0) crossed[`${path} at ${width}`] = found
      }
    }
    expect(crossed).toEqual({})
    await context.close()
  })

  test('combining marks leave no ink outside the boxes of their texts', {
    timeout: 120_000,
  }, async () => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 1000 } })
    const [page] = await watched(context, service.url)
    const climbing = cases.filter(({ text }) => /\p{M}{20}/u.test(text))
    expect(climbing.length).toBeGreaterThan(2)
    for (const path of [...climbing.flatMap(pagesOf), '/investigations', '/continuity?after=30']) {
      await page.goto(service.url + path)
      expect(await inkOutside(page), path).toBe(0)
    }
    await context.close()
  })
})

/** A URL with as much of a text as a URL may contain. */
const addressOf = (text: string): string =>
  `https://example.org/${cutTo(text.replaceAll(/[\p{White_Space}\p{Cc}\\@]/gu, ''), { characters: 1_900, bytes: 1_900 })}`

/** Runs in the page: lists what a text broke, and texts that lie outside their container. */
function crossings(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const found: string[] = []
  if ('broken' in window) found.push('a script ran')
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px too wide`)
  if (getComputedStyle(document.body).display === 'none') found.push('a style applies')
  for (const element of document.querySelectorAll('main bdi, main [dir=auto]:not(textarea)')) {
    const frame = element.closest('article, aside, li, td, dd, .about, main') as Element
    const [inner, outer] = [element.getBoundingClientRect(), frame.getBoundingClientRect()]
    const isInside =
      inner.left >= outer.left - 1 &&
      inner.right <= outer.right + 1 &&
      inner.top >= outer.top - 1 &&
      inner.bottom <= outer.bottom + 1
    const isClipped = getComputedStyle(element).overflowY !== 'visible'
    if (!isInside || !isClipped) found.push(`${element.outerHTML.slice(0, 80)} in ${frame.tagName}`)
  }
  return found
}

/** Counts the pixels outside the boxes of user text (and their small clip margins) that change when the text is hidden. */
async function inkOutside(page: Page): Promise<number> {
  const shot = async () => PNG.sync.read(await page.screenshot())
  const before = await shot()
  const boxes = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main bdi, main [dir=auto]:not(textarea)')].map(
      (element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect()
        const margin = Number.parseFloat(getComputedStyle(element).fontSize) * 0.3 + 1
        element.style.setProperty('-webkit-text-fill-color', 'transparent')
        element.style.setProperty('text-decoration-color', 'transparent')
        return {
          left: left - margin,
          top: top - margin,
          right: right + margin,
          bottom: bottom + margin,
        }
      },
    ),
  )
  const after = await shot()
  let outside = 0
  for (let y = 0; y < before.height; y++)
    for (let x = 0; x < before.width; x++) {
      const at = 4 * (y * before.width + x)
      if (
        [0, 1, 2].every((channel) => isClose(before.data[at + channel], after.data[at + channel]))
      )
        continue
      if (!boxes.some((box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom))
        outside++
    }
  return outside
}

/** Tolerates the slight differences in the edges of boxes from one screenshot to the next. */
const isClose = (one = 0, other = 0): boolean => Math.abs(one - other) <= 8
