// Enhances the pages of days, in addition to what all pages have: players, arrow keys between days, counts in the charts,
// and the comparison with a transmission that was received.
import { compareFrame } from './compare-frame.ts'
import '../enhance/page.ts'
import { enhancePlayer, FIRST_VOLUME } from './tone-player.ts'

const RELATIONS: Partial<Record<string, string>> = { ArrowLeft: 'prev', ArrowRight: 'next' }
/** Elements that use the arrow keys themselves. */
const OWN_KEYS = 'input, textarea, select, audio, video, [tabindex="0"]'

function followArrowKeys(): void {
  document.addEventListener('keydown', (event) => {
    const relation = RELATIONS[event.key]
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey
    if (!relation || hasModifier || (event.target as Element).closest(OWN_KEYS)) return
    document.querySelector<HTMLAnchorElement>(`.neighbours a[rel=${relation}]`)?.click()
  })
}

/** Plays the films of a month one after the other, and marks the one that is played. */
function playInTurn(section: HTMLElement): void {
  const video = section.querySelector('video')
  const links = [...section.querySelectorAll<HTMLAnchorElement>('.films a')]
  if (!video || links.length === 0) return
  video.volume = FIRST_VOLUME
  const choose = (chosen: number) => {
    for (const [i, link] of links.entries())
      if (i === chosen) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    video.src = links[chosen]?.href ?? ''
  }
  const current = () => links.findIndex((link) => link.hasAttribute('aria-current'))
  for (const [i, link] of links.entries())
    link.addEventListener('click', (event) => {
      event.preventDefault()
      choose(i)
      video.play().catch(() => {})
    })
  video.addEventListener('ended', () => {
    const next = current() + 1
    if (next === links.length) return choose(0)
    choose(next)
    video.play().catch(() => {})
  })
  choose(0)
}

const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
/** Columns of the table before the first counter. */
const BEFORE_COUNTERS = 1

/**
 * Shows the count of a single day in the charts of the counters: of the day under the pointer, or of the one that the arrow
 * keys choose while a chart has the focus. The counts are those of the table on the same page.
 */
function showValues(): void {
  const table = document.querySelector<HTMLTableElement>('.all-counters')
  const oldestFirst = [...(table?.tBodies[0]?.rows ?? [])].reverse()
  for (const [i, chart] of document.querySelectorAll<HTMLElement>('.multiples figure').entries())
    showValuesOf(chart, oldestFirst, BEFORE_COUNTERS + i)
}

function showValuesOf(chart: HTMLElement, rows: HTMLTableRowElement[], column: number): void {
  const bars = chart.querySelector('svg')
  const text = chart.querySelector('figcaption span')
  if (!bars || !text || rows.length === 0) return
  const atRest = text.textContent
  let chosen = rows.length - 1
  const show = (index: number) => {
    chosen = Math.min(rows.length - 1, Math.max(0, index))
    const cells = rows[chosen]?.cells
    text.textContent = `${cells?.[0]?.textContent}: ${cells?.[column]?.textContent}`
  }
  const rest = () => {
    text.textContent = atRest
  }
  bars.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = bars.getBoundingClientRect()
    show(Math.floor(((clientX - left) / width) * rows.length))
  })
  bars.addEventListener('pointerleave', rest)
  chart.tabIndex = 0
  // So that a screen reader says the count of the chosen day, and nothing while the pointer moves over other charts.
  chart.addEventListener('focus', () => text.setAttribute('role', 'status'))
  chart.addEventListener('blur', () => {
    text.removeAttribute('role')
    rest()
  })
  chart.addEventListener('keydown', ({ key }) => {
    const step = STEPS[key]
    if (step) show(chosen + step)
  })
}

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)
for (const section of document.querySelectorAll<HTMLElement>('.playlist')) playInTurn(section)

followArrowKeys()
showValues()
compareFrame()
addEventListener('hashchange', compareFrame)
