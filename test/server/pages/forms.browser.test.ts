// Publishing with the forms in Chromium: each kind of record, errors, other sites, and no script.
import { describe, expect, test } from 'vitest'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { act } from '../../support/operator.ts'
import { visitor } from './visitor.ts'

describe.skipIf(!HAS_CHROMIUM)('forms in Chromium', () => {
  const at = visitor()
  const { go, publish, refused, body, published, focused, stored, countOf } = at

  describe('publishing', () => {
    test('a visitor publishes a directory', async () => {
      await go('/directories#write')
      await at.page.fill('[name=path]', 'garden')
      await at.page.fill('[name=author_label]', 'Ada')
      await publish()
      expect(await published()).toContain('garden')
      expect((await at.service.client.get('/d/garden')).text).toContain('Ada')
      await at.page.click('text=Write another')
      await at.page.fill('[name=path]', 'garden')
      expect(await refused()).toEqual(['Path: The directory garden already exists.'])
    })

    test('a visitor publishes a message in its directory and sees its number and hash', async () => {
      await go('/d/lab')
      await at.page.click('text=Write here')
      await body().fill('Grüße\n  aus dem Labor')
      expect(await at.page.locator('#write-body-limit').innerText()).toBe('')
      await publish()
      const shown = await published()
      expect(shown).toMatch(/message \d+/)
      expect(shown).toContain('Grüße\n  aus dem Labor')
      expect(shown).toMatch(/SHA-256 [0-9a-f]{64}: the hash matches what you sent\./)
      expect(await focused()).toBe('published')
      expect(await body().inputValue()).toBe('')
      expect(await stored()).toEqual([])
      expect(await countOf('Grüße\n  aus dem Labor')).toBe(1)
    })

    test('a visitor publishes an investigation with sources', async () => {
      await go('/investigations')
      await at.page.fill('[name=title]', 'Who hears it?')
      await body().fill('Where, and how?')
      await at.page.selectOption('[name=directory]', 'lab')
      for (const i of [0, 1, 2]) {
        await at.page.click('text=Add a source')
        await at.page.fill(`[name="sources[${i}].url"]`, `https://example.org/${i}`)
      }
      await at.page.click('text=Remove source 2')
      await at.page.fill('[name="sources[1].note"]', 'the third')
      await publish()
      expect(await published()).toContain('investigation 2')
      const { json } = await at.service.client.get('/investigations/2.json')
      expect(json).toMatchObject({
        investigation: {
          sources: [
            { url: 'https://example.org/0', note: '' },
            { url: 'https://example.org/2', note: 'the third' },
          ],
        },
      })
    })

    test('an answer without its chip is an ordinary message', async () => {
      const asked = await at.service.publish.message('lab')
      await go(`/write?answers=${asked}`)
      await at.page.click('text=Remove')
      await body().fill('not an answer')
      await publish()
      await published()
      expect(await countOf('not an answer')).toBe(1)
    })

    test('the address of a reference fills in the form, and removing the quotation removes the link', async () => {
      await go('/investigations/1?reuses=1#write')
      expect(await at.page.innerText('.chip legend')).toBe('uses message 1: a question')
      expect(await at.page.isChecked('[value=reuse]')).toBe(true)
      expect(await at.page.locator('[name^="links["]').count()).toBe(2)
      await at.page.click('.chip .remove')
      expect(await at.page.locator('[name^="links["]').count()).toBe(0)
    })

    test('a visitor publishes a correction, for which the form adds the required link', async () => {
      await go('/investigations/1')
      await at.page.check('[value=correction]')
      expect(await at.page.inputValue('[name="links[0].relation"]')).toBe('corrects')
      await at.page.check('[value=reuse]')
      expect(await at.page.inputValue('[name="links[0].relation"]')).toBe('reuses')
      await at.page.check('[value=observation]')
      expect(await at.page.locator('[name^="links["]').count()).toBe(0)
      await at.page.check('[value=correction]')
      await at.page.fill('[name="links[0].message_id"]', '1')
      expect(await at.page.locator('[name^="links["]').count()).toBe(2)
      await body().fill('corrected')
      await publish()
      await published()
      expect((await at.service.client.get('/investigations/1')).text).toContain('Corrected by')
    })
  })

  describe('errors', () => {
    test('an error is shown at its field and in a summary that receives the focus', async () => {
      await go('/write')
      await at.page.selectOption('[name=directory]', 'lab')
      await body().fill('   ')
      expect(await refused()).toEqual(['Message: Write something first.'])
      expect(await focused()).toBe('errors')
      expect(await body().getAttribute('aria-invalid')).toBe('true')
      const described = (await body().getAttribute('aria-describedby')) ?? ''
      const fault = at.page.locator(`[id="${described.split(' ')[0]}"]`)
      expect(await fault.innerText()).toBe('Write something first.')
      await at.page.click('.errors a')
      expect(await at.page.evaluate(() => document.activeElement?.id)).toBe('write-body')
      await body().fill('not blank')
      await act(at.service, 'hide', 'directory', 'lab')
      await publish()
      await at.page.waitForSelector('#write-directory[aria-invalid]')
      await act(at.service, 'show', 'directory', 'lab')
      expect(await body().getAttribute('aria-invalid')).toBeNull()
      expect(await at.page.locator('#write-body-fault').count()).toBe(0)
      expect(await body().inputValue()).toBe('not blank')
    })

    test('all faults of a form are named at once, at their fields, and nothing is sent', async () => {
      const requests: string[] = []
      at.page.on('request', (request) => {
        if (request.method() === 'POST') requests.push(request.url())
      })
      await go('/investigations')
      for (const _ of [1, 2]) await at.page.click('text=Add a source')
      await at.page.fill('[name="sources[1].url"]', 'ftp://example.org/')
      await at.page.fill('[name=author_label]', 'x'.repeat(81))
      expect(await refused()).toEqual([
        'Question (one line): Ask your question in one line.',
        'What you know, and what you want to find out: Write something first.',
        'Directory: Choose a directory.',
        'Source 1, address: Enter its address, or remove the source.',
        'Source 2, address: Begin it with http:// or https://, without spaces.',
        'Name (optional, unverified): At most 80 characters.',
      ])
      expect(await at.page.locator('[aria-invalid]').count()).toBe(6)
      expect(requests).toEqual([])
      await at.page.click('text=Discard draft')
    })

    test('a correction without the message that it corrects is not sent', async () => {
      await go('/investigations/1')
      await at.page.check('[value=correction]')
      await body().fill('wrong')
      expect(await refused()).toEqual([
        'Link 1, message number: Enter the number of a message, for example 347.',
      ])
      await at.page.click('text=Remove link 1')
      expect(await refused()).toEqual(['Links: Link the message that this one corrects.'])
      await at.page.click('text=Discard draft')
    })

    test('an error in a list is shown at its item', async () => {
      await go('/investigations/1')
      await body().fill('with a link')
      expect(await refused()).toEqual(['Kind: Choose a kind.'])
      await at.page.check('[value=correction]')
      await at.page.fill('[name="links[0].message_id"]', '999999')
      await publish()
      await at.page.waitForSelector('[name="links[0].message_id"][aria-invalid]')
      await at.page.fill('[name="links[0].message_id"]', 'seven')
      await publish()
      await at.page.waitForSelector(
        '.errors >> text=Enter the number of a message, for example 347.',
      )
    })

    test('the form tells how much room is left before a text is sent', async () => {
      await go('/d/lab')
      const limit = at.page.locator('#write-body-limit')
      await body().fill('ü'.repeat(8000))
      expect(await limit.innerText()).toBe('about 192 letters left')
      await body().fill('ü'.repeat(8193))
      expect(await limit.innerText()).toBe('about 1 letter too many')
      expect(await limit.getAttribute('class')).toContain('over')
    })
  })

  test('without scripts the page shows a curl command instead of the form', async () => {
    const still = await at.browser.newContext({ javaScriptEnabled: false })
    const tab = await still.newPage()
    await tab.goto(`${at.service.url}/d/lab`)
    expect(await tab.locator('noscript pre').innerText()).toContain('"directory":"lab"')
    expect(await tab.locator('form.publish').isVisible()).toBe(false)
    await still.close()
  })
})
