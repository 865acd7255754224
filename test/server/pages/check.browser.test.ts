// The page of a message checks it in Chromium when asked to, and says what the command says, in the same words.
// Rules: API.md 2.4; COMMANDS.md 3.2.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client } from '../../../archive/http/client.ts'
import { ServicePlace } from '../../../archive/place/served.ts'
import { verifyReceipt } from '../../../archive/verify/receipt.ts'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const DAY = '2026-11-19'
const clock = clockAt(`${DAY}T08:00:00Z`)

/** What the command says of a receipt: its sentence, and the step and words of each line. */
async function said(service: TestService, notes: string[], id: number): Promise<string[]> {
  const steps: string[] = []
  const { sentence } = await verifyReceipt(
    new ServicePlace(service.url, new Client()),
    {
      receipts: notes.map((note) => Buffer.from(note)),
      text: (await service.client.get(`/messages/${id}.txt`)).bytes,
      message: (await service.client.get(`/messages/${id}.json`)).bytes,
    },
    {
      now: clock.now(),
      pauseMs: 0,
      onStep: ({ step, message }) => steps.push(`${step}: ${message}`),
    },
  )
  return [sentence, ...steps]
}

/** What the page says after a click. */
async function shown(page: Page): Promise<string[]> {
  await page.click('[data-receipt] button')
  await page.waitForSelector('[data-receipt] .verdict')
  const lines = await page.locator('.verdict, .steps li').allTextContents()
  return lines.map((line) => line.replace(/^[✓·] /, ''))
}

describe.skipIf(!HAS_CHROMIUM)('the check of a message in Chromium', () => {
  let service: TestService
  /** The receipts that the author has of the messages 1 to 3, of which the operator then changes the second. */
  let kept: string[]

  beforeAll(async () => {
    service = await startTestService({ BASE_URL: 'https://board.example' }, clock)
    const board = service.publish
    await board.directory('lab')
    for (const text of ['Frost.', 'Thaw.', 'Märzsonne ☀']) await board.message('lab', text)
    const receipts = [1, 2, 3].map((id) => service.client.get(`/messages/${id}.receipt`))
    kept = (await Promise.all(receipts)).map(({ text }) => text)
    await service.inDatabase(({ write }) =>
      write((tx) =>
        tx.updateTable('messages').set({ author_label: 'Eve' }).where('id', '=', 2n).execute(),
      ),
    )
    clock.passTo('2026-11-20T00:10:00Z')
    await sealDays(service.dataDir, [DAY], clock.now())
    await board.message('lab', 'Today.')
  })

  /** Opens the page of a message. @param notes the receipts that the browser keeps */
  async function opened(id: number, notes: string[] = []): Promise<Page> {
    const page = await (await launchChromium()).newPage()
    await page.clock.setFixedTime(clock.now())
    await page.addInitScript(
      (kept) => localStorage.setItem('daysignal receipts', kept),
      JSON.stringify(notes.map((note) => ({ note, isSealed: false }))),
    )
    await page.goto(`${service.url}/messages/${id}`)
    return page
  }
  const served = async (id: number) => (await service.client.get(`/messages/${id}.receipt`)).text

  test('of a sealed message it says its place in the day, with each step, and the console stays empty', async () => {
    const page = await opened(3)
    const complaints: string[] = []
    page.on('console', (line) => complaints.push(line.text()))
    const found = await shown(page)
    expect(found[0]).toMatch(
      /^This message is the 3rd of 3 in 2026-11-19, sealed at .* and signed by board\.example/,
    )
    expect(found).toEqual(await said(service, [kept[2]!], 3))
    expect(await page.innerText('[data-receipt] .kept')).toBe('✓ Unchanged, and sealed')
    expect(found.some((line) => line.startsWith('message: message 3 gives the leaf'))).toBe(true)
    expect(complaints).toEqual([])
  })

  test('a message that was changed is convicted by the receipt that the browser keeps', async () => {
    const found = await shown(await opened(2, [kept[1]!]))
    expect(found[0]).toContain('The promise was broken')
    expect(found).toEqual(await said(service, [kept[1]!, await served(2)], 2))
  })

  test('the promise for a message of today holds so far', async () => {
    const found = await shown(await opened(4))
    expect(found[0]).toContain('The promise holds so far: 2026-11-20 is not over yet')
    expect(found).toEqual(await said(service, [await served(4)], 4))
  })

  test.each([
    ['the receipt', '**/messages/1.receipt', (text: string) => text.replace('Z\n', '1\n')],
    [
      'the signature',
      '**/messages/1.receipt',
      (text: string) => text.replace(/.(?=.{8}\n$)/, (one) => (one === '/' ? '+' : '/')),
    ],
    ['the text', '**/messages/1.txt', (text: string) => `${text}.`],
    ['the leaves', '**/*.leaves', (text: string) => text.replace(/^./, 'g')],
  ])('%s in other bytes is refuted or withheld', async (what, url, change) => {
    const page = await opened(1)
    await page.route(url, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: change(await answer.text()) })
    })
    const lines = await shown(page)
    expect(lines[0]).toMatch(/valid|not the one|withheld/)
    if (what === 'the signature') expect(lines.at(-1)).toContain('does not verify')
  })

  test('a browser without Ed25519 says so', async () => {
    const page = await opened(1)
    await page.evaluate(() => {
      crypto.subtle.importKey = async () => {
        throw new DOMException('', 'NotSupportedError')
      }
    })
    expect(await shown(page)).toEqual([
      expect.stringMatching(/^This browser cannot check signatures/),
    ])
  })
})
