// What visitors come for, done in Chromium with the keyboard alone: Tab, Enter, arrows and letters.
import { describe, expect, test } from 'vitest'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'
import { visitor } from './visitor.ts'

/** More stops than any page has. */
const MOST_STOPS = 150

describe.skipIf(!HAS_CHROMIUM)('tasks by keyboard in Chromium', () => {
  const at = visitor(async () => {
    const service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
    await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'])
    await service.publish.directory('lab')
    await service.publish.investigation('lab', { title: 'Who hears it?' })
    return service
  })
  const { go } = at

  /** The accessible name of the element that has the focus, as far as these pages need it. */
  const focused = () =>
    at.page.evaluate(() => {
      const active = document.activeElement as HTMLInputElement
      const label =
        active.getAttribute('aria-label') ?? active.labels?.[0]?.textContent ?? active.textContent
      return label?.replaceAll(/\s+/g, ' ').trim() ?? ''
    })

  /** Presses Tab until the element with this name has the focus. */
  async function tabTo(name: string | RegExp): Promise<void> {
    const passed: string[] = []
    while (passed.length < MOST_STOPS) {
      await at.page.keyboard.press('Tab')
      const reached = await focused()
      if (typeof name === 'string' ? reached === name : name.test(reached)) return
      passed.push(reached)
    }
    throw new Error(`Tab does not reach ${name}: ${passed.join(' | ')}`)
  }

  /** Follows a link or presses a button. */
  async function use(name: string | RegExp): Promise<void> {
    await tabTo(name)
    await at.page.keyboard.press('Enter')
  }

  async function fill(name: string | RegExp, text: string): Promise<void> {
    await tabTo(name)
    await at.page.keyboard.type(text)
  }

  /** Waits for the focus on what was published, and returns it. */
  async function published(): Promise<string> {
    await at.page.waitForFunction(() => document.activeElement?.className === 'published')
    return at.page.locator('.published').innerText()
  }

  test('a visitor writes a message from the front page', async () => {
    await go('/')
    await use('Write a message')
    await at.page.waitForURL('**/write')
    await at.page.waitForSelector('button[type=submit]:enabled')
    await fill('Directory', 'lab')
    await fill('Message', 'By keyboard.')
    await use('Publish')
    expect(await published()).toContain('becomes sound')
  })

  test('a visitor answers a message: the form quotes it, its address ends the text, and its page lists the answer', async () => {
    const id = await at.service.publish.message('lab', 'Did anyone else see it?')
    await go(`/messages/${id}`)
    await use('Answer')
    await at.page.waitForSelector('button[type=submit]:enabled')
    expect(await at.page.innerText('.chip legend')).toBe(
      `Answers message ${id}: Did anyone else see it?`,
    )
    expect(await at.page.inputValue('[name=directory]')).toBe('lab')
    expect(await focused()).toBe('Message')
    await at.page.keyboard.type('I did, from the bridge.')
    await use('Publish')
    const shown = await published()
    expect(shown).toContain('the hash matches what you sent')
    expect(shown).toMatch(/answers \s*Did anyone else see it\?\s+I did, from the bridge\./)
    expect(await at.page.isVisible('form.publish')).toBe(false)
    await use('Write another')
    expect(await focused()).toBe('Directory')
    expect(await at.page.isVisible('.published')).toBe(false)
    const { text } = await at.service.client.get(`/messages/${id + 1n}.txt`)
    expect(text).toBe(`I did, from the bridge.\n\n/messages/${id}`)
    await go(`/messages/${id}`)
    expect(await at.page.locator('#answers').innerText()).toContain('I did, from the bridge.')
  })

  test('a visitor asks a question about a message, which is its first source', async () => {
    const id = await at.service.publish.message('lab', 'A green light.')
    await go(`/messages/${id}`)
    await use('Ask a question about this')
    await at.page.waitForSelector('button[type=submit]:enabled')
    expect(await focused()).toMatch(/^Question/)
    await at.page.keyboard.type('What was it?')
    await fill(/^What you know/, 'Seen at 23:00.')
    await use('Ask')
    const [, number] = /investigation (\d+)/.exec(await published()) ?? []
    const top = await at.page.locator('.published').evaluate((at) => at.getBoundingClientRect().top)
    expect(top).toBeGreaterThanOrEqual(0)
    const { json } = await at.service.client.get(`/investigations/${number}.json`)
    const sources = [{ url: `${at.service.url}/messages/${id}`, note: '' }]
    expect(json).toMatchObject({ investigation: { sources } })
  })

  test('a visitor contributes with a source, whose field has the focus once it is added', async () => {
    await go('/investigations/1')
    await at.page.waitForSelector('button[type=submit]:enabled')
    await use('Contribute')
    await fill('observation', ' ')
    await fill('Text', 'Heard at noon.')
    await use('Add a source')
    expect(await focused()).toBe('Address')
    await at.page.keyboard.type('https://example.org/log')
    await use('Publish')
    await published()
    await at.page.waitForSelector('#thread >> text=example.org/log')
  })

  test('a visitor corrects an entry: the text has the focus, and the thread shows the correction', async () => {
    await go('/investigations/1')
    await at.page.waitForSelector('button[type=submit]:enabled')
    await use(/^Refer to this message \d/)
    await use(/^correct message/)
    expect(await at.page.evaluate(() => document.activeElement?.id)).toBe('write-body')
    expect(await at.page.locator('.chip legend').innerText()).toMatch(/^corrects message \d+/)
    expect(await at.page.isChecked('[value=correction]')).toBe(true)
    await at.page.keyboard.type('It was at one.')
    await use('Publish')
    await published()
    await at.page.waitForSelector('#thread >> text=It was at one.')
  })

  test('a visitor reads the numbers of today, and goes to the day before with an arrow', async () => {
    await go('/')
    await use('Today so far')
    await at.page.waitForURL('**/transmissions/2026-11-20')
    expect(await at.page.locator('.counted').innerText()).toMatch(/Messages\s+\d+/)
    await at.page.keyboard.press('ArrowLeft')
    await at.page.waitForURL('**/transmissions/2026-11-19')
  })

  test('a visitor copies the command that checks a message, and finds the feed of a directory', async () => {
    await at.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const id = await at.service.publish.message('lab', 'To be checked.')
    await go(`/messages/${id}`)
    await use('With commands')
    await use('Copy')
    expect(await at.page.evaluate(() => navigator.clipboard.readText())).toContain('sha256sum')
    await go('/d/lab')
    await use('Follow')
    await at.page.waitForURL('**/follow?directory=lab')
    expect(await at.page.innerText('main')).toContain('/feed.atom?directory=lab')
  })
})
