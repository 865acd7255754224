// The browser keeps the receipts of a visitor's messages and says later that they are sealed.
// Rules: API.md 4.8.
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const DAY = '2026-11-19'

test.skipIf(!HAS_CHROMIUM)(
  'a published message shows its receipt, and later visits tell which messages are sealed as written',
  async () => {
    const clock = clockAt(`${DAY}T08:00:00Z`)
    const service = await startTestService({ BASE_URL: 'https://board.example' }, clock)
    await service.publish.directory('lab')
    const browser = await launchChromium()
    const page = await browser.newPage()
    await page.clock.setFixedTime(clock.now())
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('.leaves')) asked.push(request.url())
    })
    for (const text of ['one', 'two', 'three']) {
      await page.goto(`${service.url}/d/lab`)
      await page.fill('[name=body]', text)
      await page.click('button[type=submit]')
      await page.waitForSelector('.published:not([hidden])')
      expect(await page.isVisible('.write > h2')).toBe(false)
    }
    expect(await page.innerText('.published')).toContain(
      'Receipt: a signed promise that this will be sealed with its day, as you wrote it. This browser keeps it.',
    )
    const download = page.waitForEvent('download')
    await page.click('.published a[download]')
    const saved = readFileSync(await (await download).path(), 'utf8')
    expect(saved).toBe((await service.client.get('/messages/3.receipt')).text)
    expect(await page.innerHTML('main')).not.toContain('sealed as written')
    expect(asked, 'leaves of a day that is not over').toEqual([])
    await page.goto(`${service.url}/messages/3`)
    expect(await page.getAttribute('.facts a[download]', 'href')).toBe('/messages/3.receipt')

    // The operator changes one of them before the day is sealed.
    await service.inDatabase(({ write }) =>
      write((tx) =>
        tx.updateTable('messages').set({ author_label: 'Eve' }).where('id', '=', 2n).execute(),
      ),
    )
    clock.passTo('2026-11-20T00:10:00Z')
    await page.clock.setFixedTime(clock.now())
    await sealDays(service.dataDir, [DAY], clock.now())
    await page.goto(`${service.url}/d/lab`)
    await page.waitForSelector('.notice a[download]')
    expect(await page.innerText('.sealed')).toBe('2 of your messages are sealed as written.')
    expect(await page.innerText('p.notice')).toBe(
      'Message 2 is not sealed as written. Its receipt shows it to everybody.',
    )
  },
)

test.skipIf(!HAS_CHROMIUM)('the page says when a published message has no receipt', async () => {
  const service = await startTestService({ BASE_URL: 'https://board.example' })
  await service.publish.directory('lab')
  const key = join(service.dataDir, 'signing.key')
  renameSync(key, `${key}.away`)
  const browser = await launchChromium()
  const page = await browser.newPage()
  await page.goto(`${service.url}/d/lab`)
  await page.fill('[name=body]', 'one')
  await page.click('button[type=submit]')
  await page.waitForSelector('.published:not([hidden]) .notice')
  expect(await page.innerText('.published .notice')).toBe(
    'There is no receipt now: nobody has promised that this will be sealed with its day.',
  )
})
