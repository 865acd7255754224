// Drafts in Chromium: a text survives whatever prevents its publication, and is published once.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { act } from '../../support/operator.ts'
import { visitor } from './visitor.ts'

describe.skipIf(!HAS_CHROMIUM)('drafts in Chromium', () => {
  const at = visitor()
  const { open, go, draft, publish, publishOnce, body, published, stateOf, stored, countOf } = at
  /** Overrides the responses of the API. */
  const respondWith = (answer: Parameters<Page['route']>[1]) =>
    at.page.route('**/api/v1/**', answer)
  /** Answers 429 with a Retry-After [s]. */
  const limitFor = (seconds: string) =>
    respondWith((route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': seconds, 'content-type': 'application/json' },
        body: '{"error":{"code":"rate_limited","message":"too many"}}',
      }),
    )
  const restoreApi = () => at.page.unroute('**/api/v1/**')

  test('a draft with its lists survives a reload', async () => {
    await go('/investigations/1')
    await at.page.check('[value=result]')
    await body().fill('half a thought')
    await at.page.click('text=Add a source')
    await at.page.fill('[name="sources[0].url"]', 'https://example.org/')
    await at.page.reload()
    expect(await body().inputValue()).toBe('half a thought')
    expect(await at.page.inputValue('[name="sources[0].url"]')).toBe('https://example.org/')
    expect(await at.page.isChecked('[value=result]')).toBe(true)
    await go('/d/lab')
    expect(await body().inputValue()).toBe('')
  })

  test('text typed before the script arrives becomes a draft', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await at.page.route('**/*.js', (route) => released.then(() => route.continue()))
    const loaded = go('/d/lab')
    await body().fill('faster than the network')
    expect(await at.page.isDisabled('button[type=submit]')).toBe(true)
    release()
    await loaded
    await at.page.waitForSelector('.discard:not([hidden])')
    expect(await body().inputValue()).toBe('faster than the network')
    expect(await stored()).toHaveLength(1)
    await at.page.click('text=Discard draft')
    expect(await stored()).toEqual([])
  })

  test('discarding a draft removes it from the form, its lists and the browser', async () => {
    await go('/investigations/1')
    expect(await at.page.isVisible('.discard')).toBe(false)
    await at.page.check('[value=correction]')
    await body().fill('better not')
    await at.page.click('text=Discard draft')
    expect(await body().inputValue()).toBe('')
    expect(await at.page.locator('[name=kind]:checked').count()).toBe(0)
    expect(await at.page.locator('[name^="links["]').count()).toBe(0)
    expect(await at.page.isVisible('.discard')).toBe(false)
    expect(await stored()).toEqual([])
    expect(await at.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('kind')
  })

  test('a draft survives an attempt while offline and is published once', async () => {
    await draft('from the train')
    await at.context.setOffline(true)
    await publish()
    await stateOf('could not be reached')
    expect(await at.page.evaluate(() => document.activeElement?.textContent)).toBe('Send again')
    await at.context.setOffline(false)
    await at.page.reload()
    expect(await body().inputValue()).toBe('from the train')
    await publishOnce('from the train')
  })

  test('a text that the browser cannot save is not called saved', async () => {
    await at.page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await draft('in a private window')
    await at.context.setOffline(true)
    await publish()
    await stateOf('could not be reached. Your text is not saved: keep this page open.')
    await at.context.setOffline(false)
    await respondWith((route) => route.fulfill({ status: 503, json: { error: { message: 'no' } } }))
    await publish()
    await stateOf('Try again later: no. Your text is not saved')
    await restoreApi()
    await publishOnce('in a private window')
  })

  test('a text that is published but cannot be shown is called published', async () => {
    const context = await at.browser.newContext()
    await context.addInitScript(() => {
      SubtleCrypto.prototype.digest = () => Promise.reject(new Error('no digest'))
    })
    const tab = await context.newPage()
    await tab.goto(`${at.service.url}/d/lab`)
    await body(tab).fill('published without its hash')
    const failed = tab.waitForEvent('pageerror')
    await publish(tab)
    expect((await failed).message).toBe('no digest')
    expect(await tab.innerText('.state')).toBe('Published.')
    expect(await body(tab).inputValue()).toBe('')
    expect(await countOf('published without its hash')).toBe(1)
    await context.close()
  })

  test('a draft is published once when the response is lost and the page is reloaded', async () => {
    await draft('answer lost')
    await respondWith(async (route) => {
      await route.fetch()
      await route.abort()
    })
    await publish()
    await stateOf('could not be reached')
    await restoreApi()
    await at.page.reload()
    await publishOnce('answer lost')
  })

  test('a draft survives when the service is read-only', async () => {
    await draft('a little later')
    await act(at.service, 'mode', 'read-only')
    await publish()
    await stateOf('Try again later: the service is read-only for now: a test.')
    await act(at.service, 'mode', 'open')
    await publishOnce('a little later')
  })

  test('the form waits for the Retry-After of a 429, then offers to send the draft again', async () => {
    await draft('one too many')
    await limitFor('2')
    await publish()
    await stateOf('Too much is being published')
    await restoreApi()
    expect(await at.page.innerText('button[type=submit]')).toMatch(/Send again in [12] s/)
    expect(await at.page.isDisabled('button[type=submit]')).toBe(true)
    await stateOf('You can send it again now.')
    await publishOnce('one too many')
  })

  test('a double click publishes a draft once', async () => {
    await draft('clicked twice')
    await at.page.dblclick('button[type=submit]')
    await published()
    expect(await countOf('clicked twice')).toBe(1)
  })

  test('the same text in two tabs becomes one record, and two texts become two', async () => {
    await draft('shown in two tabs')
    const other = await open('/d/lab')
    const third = await open('/d/lab')
    expect(await body(other).inputValue()).toBe('shown in two tabs')
    await body(third).fill('another text')
    for (const tab of [at.page, other, third]) {
      await publish(tab)
      await published(tab)
    }
    expect(await countOf('shown in two tabs')).toBe(1)
    expect(await countOf('another text')).toBe(1)
  })

  test('text that one tab adds to a draft survives its publication by another tab', async () => {
    await draft('begun')
    const other = await open('/d/lab')
    await body(other).fill('begun and carried on')
    await publish()
    await published()
    await other.reload()
    expect(await body(other).inputValue()).toBe('begun and carried on')
  })

  test('a countdown follows the clock while the timers of its page are suspended', async () => {
    await at.page.clock.install()
    await draft('left in a hidden tab')
    await limitFor('3600')
    await publish()
    await stateOf('Too much is being published')
    await at.page.clock.fastForward('59:30')
    expect(await at.page.innerText('button[type=submit]')).toMatch(/^Send again in (?:2\d|30) s$/)
  })
})
