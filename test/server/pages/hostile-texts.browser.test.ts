// Forty hostile texts wherever the board shows user text, in Chromium: none runs, and none leaves its box by markup, URLs,
// text direction, stacked combining marks, length, or characters that look like control characters.
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { operated } from '../../support/operator.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { watched } from './visitor.ts'

const MARKS = '\u0300\u0301\u0302\u0303\u0308\u030a\u030b\u030c\u0323\u0330\u0338\u20dd'

/** A letter with many combining marks above and below it. */
const marked = (letter: string, marks: number): string =>
  letter + MARKS.repeat(Math.ceil(marks / MARKS.length)).slice(0, marks)

const HOSTILE_TEXTS: readonly string[] = [
  // Tags.
  '<script>window.broken=1</script>',
  '</div></article></main><script>window.broken=1</script>',
  '<img src=x onerror="window.broken=1">',
  '<svg onload="window.broken=1"><path d="M0 0"/></svg>',
  '<style>*{display:none!important}</style>',
  '<base href="https://example.com/"><meta http-equiv="refresh" content="0;url=https://example.com/">',
  '<iframe srcdoc="<script>parent.broken=1</script>"></iframe>',
  '<!-- <title></title> --><![CDATA[ ]]><?php ?>',
  '<textarea><plaintext><xmp><noscript>',
  '<template shadowrootmode="open"><slot></slot></template><dialog open>x</dialog>',
  // Attributes.
  '" onmouseover="window.broken=1" x="',
  "' autofocus onfocus='window.broken=1' x='",
  '`onclick=window.broken=1`',
  '" style="position:fixed;inset:0" class="brand" id="main',
  '&quot;&#34;&#x22; onload=&#39;window.broken=1&#39; &lt;b&gt; &amp;amp; &nosuch;',
  '\u0024{window.broken=1} {{constructor.constructor("window.broken=1")()}} <%= 1 %> #{1}',
  // Addresses.
  'javascript:window.broken=1',
  'java\tscript:window.broken=1',
  'data:text/html,<script>window.broken=1</script>',
  '//example.com/@daysignal ../../../etc/passwd %2e%2e%2f %00',
  `https://example.org/${'a'.repeat(1_900)}`,
  'https://example.org/?q="onclick="window.broken=1"#</a><a>',
  // Directions of text.
  '\u202eright to left override that nobody ends',
  '\u202d\u202e\u202d\u202eoverrides in overrides\u202c',
  '\u2066\u2067\u2068isolates that nobody ends',
  '\u2069\u2069\u2069\u202c\u202cends of what never began',
  `\u200f\u061cmarks \u200e${'\u05d0'.repeat(30)} 123 (abc) \u05d1`,
  `\u0645\u0631\u062d\u0628\u0627 <b>${'\u0645'.repeat(200)}</b> 2026-11-20`,
  // Stacks of marks, and glyphs that are high or wide.
  marked('Z', 200),
  [...'H\u00e4mostasis'].map((letter) => marked(letter, 40)).join(''),
  `${marked('a', 60)}\n${marked('b', 60)}\n${marked('c', 60)}`,
  `\u0e01${'\u0e49'.repeat(180)} \ua9c4${'\ua9bf'.repeat(90)}`,
  `${'\ufdfd'.repeat(30)} \u{12031}\u{12031} \u0bf5 \ua9c5 \u{1242b}`,
  // Length.
  'W'.repeat(16_384),
  `${'\u00ad'.repeat(4_000)}soft`,
  'a\n'.repeat(4_000),
  `${'\u{1f9d4}\u{1f3ff}\u200d\u2642\ufe0f\u200d'.repeat(300)}\u{1f994}`,
  // What looks like control characters.
  '\u2400\u241b[31m \u200b\u200c\u200d\u2060\ufeff\u180e x',
  'a\u2028b\u2029c \u{e0001}\u{e0041}\u{e007f} \ufff9\ufffa\ufffb',
  '\n\n\r\n\t  \u3164\u115f\u2800 . \u00a0',
]

const encoder = new TextEncoder()

/** The longest beginning of a text that fits the limits of a field. */
function cutTo(text: string, { bytes, characters }: { bytes: number; characters: number }): string {
  const few = [...text].slice(0, characters).join('')
  return few.slice(0, encoder.encodeInto(few, new Uint8Array(bytes)).read)
}

/** A text on one line, as required of a title and a label. */
const asLine = (text: string, limits: { bytes: number; characters: number }): string =>
  cutTo(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '), limits)

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
