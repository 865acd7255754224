// Shows the count of a single day in the charts of the counters: of the day under the pointer, or of the one that the
// arrow keys choose while a chart has the focus. The counts are those of the table on the same page.

const KEYS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
/** Columns of the table before the first counter. */
const FIRST_COUNTER = 3

/** A row of the table: the day, and the count of each counter as it is written there. */
interface DayCounts {
  day: string
  counts: string[]
}

export function showValues(): void {
  const rows = rowsOf(document.querySelector<HTMLTableElement>('.all-counters'))
  for (const [i, chart] of document.querySelectorAll<HTMLElement>('.multiples figure').entries())
    showValuesOf(chart, rows, i)
}

/** Reads the table, oldest day first. */
function rowsOf(table: HTMLTableElement | null): DayCounts[] {
  const rows = [...(table?.tBodies[0]?.rows ?? [])].reverse()
  return rows.map((row) => {
    const [day = '', ...cells] = [...row.cells].map((cell) => cell.textContent ?? '')
    return { day, counts: cells.slice(FIRST_COUNTER - 1) }
  })
}

function showValuesOf(chart: HTMLElement, rows: readonly DayCounts[], counter: number): void {
  const bars = chart.querySelector('svg')
  const text = chart.querySelector('figcaption span')
  if (!bars || !text || rows.length === 0) return
  const atRest = text.textContent
  let chosen = rows.length - 1
  const show = (index: number) => {
    chosen = Math.min(rows.length - 1, Math.max(0, index))
    const { day, counts } = rows[chosen] as DayCounts
    text.textContent = `${day}: ${counts[counter]}`
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
