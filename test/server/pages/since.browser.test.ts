// What is new since the last visit, in Chromium: marked from a date that the browser keeps, without a request.
import { expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const DAY = '2026-11-19'

test.skipIf(!HAS_CHROMIUM)(
  'the next visit marks new messages, answers to one’s own and days, sends nothing for it, and forgets when asked to',
  async () => {
    const clock = clockAt(`${DAY}T08:00:00Z`)
    const service = await startTestService({ BASE_URL: 'https://board.example' }, clock)
    const board = service.publish
    await board.directory('lab')
    await board.message('lab', 'Read already.')
    const page = await (await launchChromium()).newPage()
    const go = async (path: string) => {
      await page.clock.setFixedTime(clock.now())
      await page.goto(service.url + path)
      await page.getByRole('button', { name: 'Forget it' }).waitFor()
    }
    const marks = () => page.locator('.is-new').allInnerTexts()

    await go('/d/lab')
    await page.fill('[name=body]', 'Mine.')
    await page.click('button[type=submit]')
    await page.waitForSelector('.published:not([hidden])')
    const [, own = ''] = /messages\/(\d+)/.exec(await page.innerHTML('.published')) ?? []
    clock.passTo(`${DAY}T08:20:00Z`)
    await board.message('lab', 'In the same visit.')
    await go('/d/lab')
    expect(await marks()).toEqual([])

    clock.passTo('2026-11-20T00:10:00Z')
    await sealDays(service.dataDir, [DAY], clock.now())
    await board.message('lab', 'News.')
    await board.message('lab', `I saw it too.\n\n/messages/${own}`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await go('/d/lab')
    expect(await marks()).toEqual(['answers you', 'new'])
    expect(await page.innerText('.visit')).toBe(
      'New here since 2026-11-19 08:20 UTC, when you left: 1 message, 1 answer to you.',
    )
    expect(asked.filter((path) => !/^\/(static|d\/lab)|\.leaves$/.test(path))).toEqual([])

    await go('/')
    expect((await marks()).sort()).toEqual(['answers you', 'new', 'new'])
    expect(await page.innerText('.visit')).toContain('1 message, 1 answer to you, 1 day.')
    await go('/transmissions')
    expect(await page.innerText('.visit')).toContain('when you left: 1 day.')

    await page.getByRole('button', { name: 'Forget it' }).click()
    expect(await marks()).toEqual([])
    expect(await page.locator('.visit').count()).toBe(0)
    expect(await page.evaluate(() => localStorage.getItem('daysignal visit'))).toBe(null)
    await go('/')
    expect(await marks()).toEqual([])
  },
)
