// Shows the count of a single day in the charts of the counters: of the day under the pointer, or of the one that the
// arrow keys choose while a chart has the focus. The counts are those of the table on the same page.

const KEYS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
/** Columns of the table before the first counter. */
const BEFORE_COUNTERS = 3

export function showValues(): void {
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
    const step = KEYS[key]
    if (step) show(chosen + step)
  })
}
