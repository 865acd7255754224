// New messages on an open page in Chromium: the page tells of them, and shows them only when it is asked to.
import { describe, expect, test } from 'vitest'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { visitor } from './visitor.ts'

/** Longer than the time between two polls [ms]. */
const A_POLL = 21_000

describe.skipIf(!HAS_CHROMIUM)('new messages in Chromium', () => {
  const at = visitor()

  test.each(['/', '/d/lab'])(
    'while %s is open it offers new messages, and a click adds them to the list and nowhere else',
    async (path) => {
      const board = at.service.publish
      await board.message('lab', 'Read already.')
      await at.page.clock.install()
      await at.go(path)
      const offer = at.page.locator('.fresh[role=status]')
      await at.page.clock.runFor(A_POLL)
      expect(await offer.innerText()).toBe('')
      for (const body of ['The first new one.', 'The second new one.'])
        await board.message('lab', body)
      const before = await at.page.locator('main').innerHTML()
      await at.page.clock.runFor(A_POLL)
      await offer.getByRole('button', { name: '2 new messages, show' }).waitFor()
      // In sight, wherever the reader is.
      expect(await offer.evaluate((element) => getComputedStyle(element).position)).toBe('fixed')
      expect(await at.page.locator('main').innerHTML()).toBe(before)
      await offer.getByRole('button').click()
      await at.page.waitForSelector('#list >> text=The second new one.')
      await at.page.waitForFunction(() => document.activeElement?.id === 'messages')
      expect(await offer.innerText()).toBe('')
      await at.page.clock.runFor(A_POLL)
      expect(await offer.innerText()).toBe('')
    },
  )

  test('what is typed in the form stays when new messages are shown, and the directory counts them', async () => {
    const count = async () => Number.parseInt(await at.page.locator('#counts').innerText(), 10)
    await at.page.clock.install()
    await at.go('/d/lab')
    const before = await count()
    await at.body().fill('half a sentence')
    await at.service.publish.message('lab', 'Meanwhile.')
    await at.page.clock.runFor(A_POLL)
    await at.page.getByRole('button', { name: '1 new message, show' }).click()
    await at.page.waitForSelector('#list >> text=Meanwhile.')
    expect(await at.body().inputValue()).toBe('half a sentence')
    expect(await count()).toBe(before + 1)
  })
})
