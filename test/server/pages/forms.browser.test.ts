// Publishing from the pages in Chromium: each kind of record, and all that can come between a text and its publication.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { operated } from '../../support/operator.ts'
import { publisherOf } from '../../support/publish.ts'
import { startTestService, type TestService } from '../../support/service.ts'

describe.skipIf(!HAS_CHROMIUM)('forms in Chromium', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let errors: string[]
  beforeAll(async () => {
    service = await startTestService()
    const board = publisherOf(service.client)
    await board.directory('lab')
    await board.investigation('lab')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    context.setDefaultTimeout(15_000)
    errors = []
    page = await open('/')
  })
  afterEach(async () => {
    await context.close()
    expect(errors).toEqual([])
  })

  /** Another tab of the same visitor. */
  async function open(path: string): Promise<Page> {
    const tab = await context.newPage()
    tab.on('pageerror', (error) => errors.push(String(error)))
    await tab.goto(service.url + path)
    return tab
  }

  const go = (path: string) => page.goto(service.url + path)
  const publish = (tab = page) => tab.click('button[type=submit]')
  const body = (tab = page) => tab.locator('[name=body]')
  const published = async (tab = page) => {
    await tab.waitForSelector('.published:not([hidden])')
    return tab.locator('.published').innerText()
  }
  const stateOf = (words: string) =>
    page.waitForFunction(
      (text) => document.querySelector('.state')?.textContent?.includes(text),
      words,
    )
  const focused = () => page.evaluate(() => document.activeElement?.className)
  const kept = () => page.evaluate(() => Object.keys(localStorage))
  /** How many messages have this body. */
  const countOf = async (text: string) => {
    const { json } = await service.client.get('/api/v1/messages?limit=100')
    return (json as { messages: { body: string }[] }).messages.filter(
      (message) => message.body === text,
    ).length
  }
  /** Lets the next attempts end otherwise. */
  const instead = (answer: Parameters<Page['route']>[1]) => page.route('**/api/v1/**', answer)
  const asBefore = () => page.unroute('**/api/v1/**')

  describe('publishing', () => {
    test('a visitor publishes a directory', async () => {
      await go('/directories')
      await page.fill('[name=path]', 'garden')
      await page.fill('[name=author_label]', 'Ada')
      await publish()
      expect(await published()).toContain('garden')
      expect((await service.client.get('/d/garden')).text).toContain('Ada')
    })

    test('a visitor publishes a message in its directory and sees its number and hash', async () => {
      await go('/d/lab')
      await page.click('text=Write here')
      await body().fill('Grüße\n  aus dem Labor')
      expect(await page.locator('#write-body-limit').innerText()).toBe('23 of 16,384 bytes')
      await publish()
      const shown = await published()
      expect(shown).toMatch(/message \d+/)
      expect(shown).toContain('Grüße\n  aus dem Labor')
      expect(shown).toMatch(/SHA-256 [0-9a-f]{64}: the hash matches what you sent\./)
      expect(await focused()).toBe('published')
      expect(await body().inputValue()).toBe('')
      expect(await kept()).toEqual([])
      expect(await countOf('Grüße\n  aus dem Labor')).toBe(1)
    })

    test('a directory beside the form is put into its field, and what was typed stays', async () => {
      await go('/write')
      await body().fill('typed before')
      await page.click('aside >> text=lab')
      expect(await page.inputValue('[name=directory]')).toBe('lab')
      expect(await body().inputValue()).toBe('typed before')
      await publish()
      await published()
      expect(await countOf('typed before')).toBe(1)
    })

    test('a visitor publishes a message in a directory of their choice', async () => {
      await go('/')
      await page.click('header >> text=Write')
      await page.fill('[name=directory]', 'lab')
      await body().fill('from anywhere')
      await publish()
      await published()
      expect(await countOf('from anywhere')).toBe(1)
    })

    test('a visitor publishes an investigation with sources', async () => {
      await go('/investigations')
      await page.fill('[name=title]', 'Who hears it?')
      await body().fill('Where, and how?')
      await page.fill('[name=directory]', 'lab')
      for (const i of [0, 1, 2]) {
        await page.click('text=Add a source')
        await page.fill(`[name="sources[${i}].url"]`, `https://example.org/${i}`)
      }
      await page.click('text=Remove source 2')
      await page.fill('[name="sources[1].note"]', 'the third')
      await publish()
      expect(await published()).toContain('investigation 2')
      const { json } = await service.client.get('/investigations/2.json')
      expect(json).toMatchObject({
        investigation: {
          sources: [
            { url: 'https://example.org/0', note: '' },
            { url: 'https://example.org/2', note: 'the third' },
          ],
        },
      })
    })

    test('a visitor publishes a contribution that refers to an entry', async () => {
      await go('/investigations/1')
      await page.click('[data-refer] >> nth=0')
      const { json } = await service.client.get('/investigations/1.json')
      const { message_id } = (json as { investigation: { message_id: bigint } }).investigation
      expect(await page.inputValue('[name="links[0].message_id"]')).toBe(String(message_id))
      await body().fill('seen')
      await publish()
      await published()
      const after = (await service.client.get('/investigations/1.json')).json
      expect(after).toMatchObject({ entries: [{ links: [{ message_id, relation: 'extends' }] }] })
    })

    test('a visitor publishes a correction, whose form asks for its link at once', async () => {
      await go('/investigations/1')
      await page.check('[value=correction]')
      expect(await page.inputValue('[name="links[0].relation"]')).toBe('corrects')
      await page.check('[value=reuse]')
      expect(await page.inputValue('[name="links[0].relation"]')).toBe('reuses')
      await page.check('[value=observation]')
      expect(await page.locator('[name^="links["]').count()).toBe(0)
      await page.check('[value=correction]')
      await page.click('[data-refer] >> nth=0')
      expect(await page.locator('[name^="links["]').count()).toBe(2)
      await body().fill('corrected')
      await publish()
      await published()
      expect((await service.client.get('/investigations/1')).text).toContain('Corrected by')
    })
  })

  describe('errors', () => {
    test('an error is shown at its field and in a summary that takes the focus', async () => {
      await go('/write')
      await page.fill('[name=directory]', 'lab')
      await body().fill('   ')
      await publish()
      await page.waitForSelector('.errors:not([hidden])')
      expect(await focused()).toBe('errors')
      expect(await page.locator('.errors').innerText()).toContain('Message: Must hold a character')
      expect(await body().getAttribute('aria-invalid')).toBe('true')
      const described = (await body().getAttribute('aria-describedby')) ?? ''
      const fault = page.locator(`[id="${described.split(' ')[0]}"]`)
      expect(await fault.innerText()).toContain('Must hold a character')
      await page.click('.errors a')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('write-body')
      await body().fill('not blank')
      await page.fill('[name=directory]', 'nowhere')
      await publish()
      await page.waitForSelector('#write-directory[aria-invalid]')
      expect(await body().getAttribute('aria-invalid')).toBeNull()
      expect(await page.locator('#write-body-fault').count()).toBe(0)
      expect(await body().inputValue()).toBe('not blank')
    })

    test('an error in a list is shown at its item', async () => {
      await go('/investigations/1')
      await body().fill('with a link')
      await page.click('text=Add a link')
      await page.fill('[name="links[0].message_id"]', '999999')
      await publish()
      await page.waitForSelector('[name="links[0].message_id"][aria-invalid]')
      await page.fill('[name="links[0].message_id"]', 'seven')
      await publish()
      await page.waitForSelector('text=must be a whole number')
    })

    test('the form counts a text in bytes before it sends it', async () => {
      await go('/d/lab')
      await body().fill('ü'.repeat(8193))
      const limit = page.locator('#write-body-limit')
      expect(await limit.innerText()).toBe('16,386 of 16,384 bytes')
      expect(await limit.getAttribute('class')).toContain('over')
    })
  })

  describe('drafts', () => {
    test('a draft with its lists survives a reload', async () => {
      await go('/investigations/1')
      await page.check('[value=result]')
      await body().fill('half a thought')
      await page.click('text=Add a source')
      await page.fill('[name="sources[0].url"]', 'https://example.org/')
      await page.reload()
      expect(await body().inputValue()).toBe('half a thought')
      expect(await page.inputValue('[name="sources[0].url"]')).toBe('https://example.org/')
      expect(await page.isChecked('[value=result]')).toBe(true)
      await go('/d/lab')
      expect(await body().inputValue()).toBe('')
    })

    test('what is typed before the script arrives becomes a draft', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/*.js', (route) => released.then(() => route.continue()))
      const loaded = go('/d/lab')
      await body().fill('faster than the network')
      release()
      await loaded
      await page.waitForSelector('.discard:not([hidden])')
      expect(await body().inputValue()).toBe('faster than the network')
      expect(await kept()).toHaveLength(1)
      await page.click('text=Discard draft')
      expect(await kept()).toEqual([])
    })

    test('a discarded draft is gone from the form, from its lists and from the browser', async () => {
      await go('/investigations/1')
      expect(await page.isVisible('.discard')).toBe(false)
      await page.check('[value=correction]')
      await body().fill('better not')
      await page.click('text=Discard draft')
      expect(await body().inputValue()).toBe('')
      expect(await page.isChecked('[value=observation]')).toBe(true)
      expect(await page.locator('[name^="links["]').count()).toBe(0)
      expect(await page.isVisible('.discard')).toBe(false)
      expect(await kept()).toEqual([])
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('kind')
    })

    test('a draft survives an attempt without a network and is published once', async () => {
      await go('/d/lab')
      await body().fill('from the train')
      await context.setOffline(true)
      await publish()
      await stateOf('could not be reached')
      const focusedText = await page.evaluate(() => document.activeElement?.textContent)
      expect(focusedText).toBe('Send again')
      await context.setOffline(false)
      await page.reload()
      expect(await body().inputValue()).toBe('from the train')
      await publish()
      await published()
      expect(await countOf('from the train')).toBe(1)
    })

    test('a draft is published once when the answer is lost and the page is reloaded', async () => {
      await go('/d/lab')
      await body().fill('answer lost')
      await instead(async (route) => {
        await route.fetch()
        await route.abort()
      })
      await publish()
      await stateOf('could not be reached')
      await asBefore()
      await page.reload()
      await publish()
      await published()
      expect(await countOf('answer lost')).toBe(1)
    })

    test('a draft is kept when the service is read-only', async () => {
      await go('/d/lab')
      await body().fill('a little later')
      await operated(service, 'mode', 'read-only')
      await publish()
      await stateOf('Not now: the service is read-only for now.')
      await operated(service, 'mode', 'open')
      await publish()
      await published()
      expect(await countOf('a little later')).toBe(1)
    })

    test('the form waits as long as a 429 states, then offers to send the draft again', async () => {
      await go('/d/lab')
      await body().fill('one too many')
      await instead((route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '2', 'content-type': 'application/json' },
          body: '{"error":{"code":"rate_limited","message":"too many"}}',
        }),
      )
      await publish()
      await stateOf('Too much is being published')
      await asBefore()
      expect(await page.innerText('button[type=submit]')).toMatch(/Send again in [12] s/)
      expect(await page.isDisabled('button[type=submit]')).toBe(true)
      await stateOf('You can send it again now.')
      await publish()
      await published()
      expect(await countOf('one too many')).toBe(1)
    })

    test('what is wrong with one of several sources names which', async () => {
      await go('/investigations/1')
      await body().fill('two sources')
      for (const url of ['https://example.org/', 'ftp://example.org/']) {
        await page.click('text=Add a source')
        await page.locator('[name^="sources["][name$=".url"]').last().fill(url)
      }
      await publish()
      await page.waitForSelector('.errors:not([hidden])')
      expect(await page.innerText('.errors li')).toBe(
        'Source 2, address: Must start with http:// or https://.',
      )
      await page.click('text=Discard draft')
    })

    test('a double click publishes a draft once', async () => {
      await go('/d/lab')
      await body().fill('clicked twice')
      await page.dblclick('button[type=submit]')
      await published()
      expect(await countOf('clicked twice')).toBe(1)
    })

    test('the same text in two tabs becomes one record, and two texts become two', async () => {
      await go('/d/lab')
      await body().fill('shown in two tabs')
      const other = await open('/d/lab')
      const third = await open('/d/lab')
      expect(await body(other).inputValue()).toBe('shown in two tabs')
      await body(third).fill('another text')
      for (const tab of [page, other, third]) {
        await publish(tab)
        await published(tab)
      }
      expect(await countOf('shown in two tabs')).toBe(1)
      expect(await countOf('another text')).toBe(1)
    })
  })

  test('another site cannot publish through a visitor’s browser', async () => {
    const elsewhere = createServer((_, answer) => answer.end('<!doctype html><title>x</title>'))
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`)
    const send = (type: string, mode: RequestMode) =>
      page.evaluate(
        async ([url, contentType, how]) => {
          const request = {
            method: 'POST',
            mode: how as RequestMode,
            headers: { 'Content-Type': contentType as string },
            body: '{"directory":"lab","body":"forged"}',
          }
          return fetch(url as string, request).then(
            () => 'sent',
            () => 'refused',
          )
        },
        [`${service.url}/api/v1/messages`, type, mode],
      )
    expect(await send('application/json', 'cors')).toBe('refused')
    await send('text/plain', 'no-cors')
    expect(await countOf('forged')).toBe(0)
    elsewhere.close()
  })

  test('without a script the page shows the line for a terminal, and no form', async () => {
    const still = await browser.newContext({ javaScriptEnabled: false })
    const tab = await still.newPage()
    await tab.goto(`${service.url}/d/lab`)
    expect(await tab.locator('noscript pre').innerText()).toContain('"directory":"lab"')
    expect(await tab.locator('form').isVisible()).toBe(false)
    await still.close()
  })
})
