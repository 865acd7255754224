// The browser keeps the receipts of a visitor's messages and says later that they are sealed.
// Rules: API.md 4.8.
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { visitor } from './visitor.ts'

const DAY = '2026-11-19'

describe.skipIf(!HAS_CHROMIUM)('receipts in Chromium', () => {
  const clock = clockAt(`${DAY}T08:00:00Z`)
  const at = visitor(async () => {
    const service = await startTestService({ BASE_URL: 'https://board.example' }, clock)
    await service.publish.directory('lab')
    return service
  })
  const { go, draft, publish, published } = at

  test('a published message shows its receipt, and later visits tell which messages are sealed as written', async () => {
    const { page, service } = at
    await page.clock.setFixedTime(clock.now())
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('.leaves')) asked.push(request.url())
    })
    for (const text of ['one', 'two', 'three']) {
      await draft(text)
      await publish()
      expect(await published()).toContain(
        'Receipt: a signed promise that this will be sealed with its day, as you wrote it. This browser keeps it.',
      )
    }
    const download = page.waitForEvent('download')
    await page.click('.published a[download]')
    const saved = readFileSync(await (await download).path(), 'utf8')
    expect(saved).toBe((await service.client.get('/messages/3.receipt')).text)
    expect(await page.innerHTML('main')).not.toContain('sealed as written')
    expect(asked, 'leaves of a day that is not over').toEqual([])
    await go('/messages/3')
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
    await go('/d/lab')
    await page.waitForSelector('.notice a[download]')
    const own = /href="\/messages\/3".*, sealed as written.*, not as written.*, sealed as written/s
    expect(await page.innerHTML('.own')).toMatch(own)
    expect(await page.innerText('p.notice')).toBe(
      'Message 2 is not sealed as written. Its receipt shows it to everybody.',
    )
  })

  test('the page says when a published message has no receipt', async () => {
    const key = join(at.service.dataDir, 'signing.key')
    renameSync(key, `${key}.away`)
    await draft('one')
    await publish()
    await published()
    expect(await at.page.innerText('.published .notice')).toBe(
      'There is no receipt now: nobody has promised that this will be sealed with its day.',
    )
  })
})
