// The page of a day in Chromium: the strip as a slider, the moment of decoding, and the page without scripts.
import { describe, expect, test } from 'vitest'
import { TRANSMISSION_SECONDS } from '../../../protocol/index.ts'
import { makeSnapshot, soundOf } from '../../archive/days.ts'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'
import { type Visitor, visitor } from './visitor.ts'

const PAGE = '/transmissions/2026-11-19'
const SAID = 'The heron is back.'

/** Opens the day's page and loads its sound, as far as `canplaythrough`. */
async function load({ page, go }: Visitor): Promise<void> {
  await go(PAGE)
  await page.getByRole('slider', { name: 'Position' }).waitFor()
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const audio = document.querySelector('audio') as HTMLAudioElement
        audio.addEventListener('canplaythrough', resolve, { once: true })
        audio.preload = 'auto'
        audio.load()
      }),
  )
}

describe.skipIf(!HAS_CHROMIUM)('a day in Chromium', () => {
  const at = visitor(async () => {
    const clock = clockAt('2026-11-19T12:00:00.000Z')
    const service = await startTestService({}, clock)
    const board = service.publish
    await board.directory('lab')
    await board.message('lab', SAID)
    clock.passTo('2026-11-20T12:00:00.000Z')
    await board.message('lab', SAID)
    const wav = soundOf(makeSnapshot('2026-11-19'))
    await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'], {
      '2026-11-19': { media: { wav } },
    })
    return service
  })
  const { go } = at

  test('the keyboard moves along the tones, and each position names its time, tone and frequency', async () => {
    const media: string[] = []
    at.page.on('request', (request) => {
      if (/\.(?:wav|mp4)$/.test(request.url())) media.push(request.url())
    })
    await go(PAGE)
    const range = at.page.getByRole('slider', { name: 'Position' })
    await range.waitFor()
    expect(await range.getAttribute('aria-valuetext')).toMatch(
      /^0 of 29 seconds, tone 1, \d+ hertz$/,
    )
    expect(media).toEqual([])
    expect(await at.page.getByRole('button', { name: 'Play the transmission' }).count()).toBe(1)
    await range.press('ArrowRight')
    expect(await range.inputValue()).toBe('1')
  })

  test('the keyboard reaches every tone once the sound is loaded', async () => {
    await load(at)
    const range = at.page.getByRole('slider', { name: 'Position' })
    for (let step = 1; step < 344; step++) {
      await range.press(step <= 272 ? 'ArrowRight' : 'ArrowLeft')
      expect(await range.inputValue()).toBe(String(272 - Math.abs(272 - step)))
    }
  })

  test('while it plays, the player changes no live region, and the page only when the tone changes', async () => {
    await load(at)
    await at.page.evaluate(() => {
      const player = document.querySelector('.player') as HTMLElement
      const seen = { tones: new Set<string>(), writes: 0 }
      Object.assign(window, { seen })
      const range = player.querySelector('.tones input') as HTMLElement
      new MutationObserver((records) => {
        seen.writes += records.length
        seen.tones.add(range.ariaValueText ?? '')
      }).observe(range, { attributeFilter: ['aria-valuetext'] })
    })
    await at.page.getByRole('button', { name: 'Play the transmission' }).click()
    await at.page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 2)
    const seen = await at.page.evaluate(() => {
      const { tones, writes } = (
        window as unknown as { seen: { tones: Set<string>; writes: number } }
      ).seen
      return {
        tones: tones.size,
        writes,
        live: document.querySelectorAll('.player :is(output, [aria-live], [role=status])').length,
      }
    })
    expect(seen.live).toBe(0)
    expect(seen.tones).toBeGreaterThan(5)
    expect(seen.writes).toBe(seen.tones)
  })

  test('the sound starts at a third of the volume, and the tones that were played are bright', async () => {
    await load(at)
    expect(await at.page.evaluate(() => document.querySelector('audio')?.volume)).toBeCloseTo(1 / 3)
    await at.page.getByRole('slider', { name: 'Volume' }).fill('0.5')
    expect(await at.page.evaluate(() => document.querySelector('audio')?.volume)).toBe(0.5)
    const range = at.page.getByRole('slider', { name: 'Position' })
    await range.fill('136')
    const lit = at.page.locator('.tones clipPath rect')
    const width = Number(await lit.getAttribute('width'))
    expect(width / 1092).toBeCloseTo(137 / 273)
  })

  test.each([390, 1440])(
    'at %i pixels, words of people begin within 500 pixels, and no chord or strip is drawn twice',
    async (width) => {
      await at.page.setViewportSize({ width, height: 900 })
      for (const path of ['/', PAGE, '/transmissions/2026-11-20']) {
        await go(path)
        const found = await at.page.evaluate((words) => {
          const first = [...document.querySelectorAll('main *')].find(
            (at) => at.childElementCount === 0 && at.textContent?.includes(words),
          )
          const drawings = [...document.querySelectorAll('main :is(.chord, .strip, img, video)')]
          return {
            top: first?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY,
            twice: drawings.length - new Set(drawings.map(({ innerHTML }) => innerHTML)).size,
          }
        }, SAID)
        expect(found.top, path).toBeLessThan(500)
        expect(found.twice, path).toBe(0)
      }
    },
  )

  test('a button at the top of the front page plays the sound and pauses it; below the words a bar leads to the tones', async () => {
    await at.page.setViewportSize({ width: 390, height: 400 })
    await go('/')
    await at.page.click('.act.hear')
    await at.page.click('.playing-bar a')
    await at.page.waitForSelector('.playing-bar', { state: 'hidden' })
    await at.page.click('.act.hear.playing')
    await at.page.waitForFunction(() => document.querySelector('audio')?.paused)
  })

  /** How far the chord has risen: 0 is dark, 1 is whole. */
  const risen = () =>
    at.page.evaluate(() => {
      const rectangle = document.querySelector('#chord clipPath rect')
      const height = document.querySelector<SVGSVGElement>('#chord')?.viewBox.baseVal.height ?? 0
      return Math.min(1, 1 - Number(rectangle?.getAttribute('y')) / height)
    })

  test('once it sounds, the chord is dark until the day can be read, then it rises, and the day is read out', async () => {
    await load(at)
    const range = at.page.getByRole('slider', { name: 'Position' })
    expect(await risen()).toBe(1)
    await range.fill('30')
    expect([await risen(), await at.page.isVisible('.player .read')]).toEqual([0, false])
    const below = () =>
      at.page.locator('.night > .links').evaluate((at) => (at as HTMLElement).offsetTop)
    const before = await below()
    await range.fill('200')
    await at.page.waitForFunction(
      () => document.querySelector('#chord clipPath rect')?.getAttribute('y') === '0',
    )
    expect(await at.page.textContent('.player .read')).toMatch(/^Read: \d+ m/)
    expect(await at.page.isVisible('.player .read')).toBe(true)
    expect(await below()).toBe(before)
  })

  test.each([390, 1440])('at %i px each second is below its place in the sound', async (width) => {
    await at.page.setViewportSize({ width, height: 900 })
    await load(at)
    const [left, strip, middles] = await at.page.evaluate(() => {
      const { x, width: wide } = document.querySelector('.tones input')!.getBoundingClientRect()
      const spans = [...document.querySelectorAll<HTMLElement>('.seconds span')]
      const marks = spans.slice(1, -1).filter((mark) => mark.offsetWidth > 0)
      const places = marks.map((mark) => {
        const box = mark.getBoundingClientRect()
        return [Number(mark.textContent), box.x + box.width / 2] as const
      })
      return [x, wide, places] as const
    })
    expect(middles.map(([second]) => second)).toEqual([5, 10, 15, 20, 25])
    for (const [second, x] of middles)
      expect(Math.abs(x - left - (strip * second) / TRANSMISSION_SECONDS)).toBeLessThan(1)
    await at.page.setViewportSize({ width: 1280, height: 720 })
  })

  test('the arrow keys go to the neighbouring day, unless they are needed by what has the focus', async () => {
    await go(PAGE)
    const range = at.page.getByRole('slider', { name: 'Position' })
    await range.press('ArrowLeft')
    expect(new URL(at.page.url()).pathname).toBe(PAGE)
    await range.blur()
    await at.page.keyboard.press('ArrowLeft')
    await at.page.waitForURL('**/transmissions/2026-11-18')
    await at.page.keyboard.press('ArrowRight')
    await at.page.waitForURL(`**${PAGE}`)
  })

  test('a chart shows the count of the day under the pointer, and of the day that the arrow keys choose', async () => {
    await go('/transmissions/2026-11')
    const chart = at.page.locator('.multiples figure').nth(2)
    const value = chart.locator('figcaption span')
    const atRest = await value.textContent()
    await chart.locator('svg').hover({ position: { x: 3, y: 10 } })
    expect(await value.textContent()).toBe('2026-11-18: 3')
    await at.page.mouse.move(0, 0)
    expect(await value.textContent()).toBe(atRest)
    await chart.press('ArrowLeft')
    expect(await value.textContent()).toBe('2026-11-18: 3')
    await chart.press('ArrowRight')
    expect(await value.textContent()).toBe('2026-11-19: 3')
    expect(new URL(at.page.url()).pathname).toBe('/transmissions/2026-11')
  })

  test('the films of a month are played one after the other', async () => {
    await go('/transmissions/2026-11')
    const current = at.page.locator('.films [aria-current]')
    await current.waitFor({ state: 'attached' })
    expect(await current.textContent()).toBe('18')
    await at.page.evaluate(() => document.querySelector('video')?.dispatchEvent(new Event('ended')))
    expect(await current.textContent()).toBe('19')
    expect(await at.page.locator('video').getAttribute('src')).toContain('/2026-11-19/')
  })

  test("without a script the sound has the browser's own controls", async () => {
    const context = await at.browser.newContext({ javaScriptEnabled: false })
    const still = await context.newPage()
    await still.goto(at.service.url + PAGE)
    expect(await still.locator('audio[controls][preload=none]').isVisible()).toBe(true)
    await context.close()
  })
})
