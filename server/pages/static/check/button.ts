// The button that checks a message. What it needs is loaded when it is pressed.

import { element } from '../element.ts'
import { keptReceipt } from '../write/receipts.ts'
import type { Checked } from './message.ts'

const CAUTION =
  'The script that says so and the key come from the service itself; the commands do without them.'

/** Adds the button, if the page is that of a message with a receipt. */
export function addCheckButton(): void {
  const place = document.querySelector<HTMLElement>('[data-receipt]')
  if (!place) return
  const button = element('button', { type: 'button' }, 'Check it here')
  // Always there, since a status that comes with its text may not be read out.
  const result = element('div', { role: 'status' })
  button.addEventListener('click', async () => {
    button.disabled = true
    result.replaceChildren(element('p', { className: 'hint' }, 'Checking …'))
    const { receipt = '', record = '' } = place.dataset
    const checked = await check(receipt, record).catch(({ message }: Error) => ({
      sentence: `The message could not be checked: ${message}.`,
      steps: [],
    }))
    result.replaceChildren(...shown(checked))
    result.scrollIntoView({ block: 'nearest' })
    button.disabled = false
  })
  place.append(element('p', {}, button), result)
}

async function check(receipt: string, record: string): Promise<Checked> {
  const url = new URL('./check-message.js', import.meta.url).href
  const { checkMessage } = (await import(url)) as typeof import('./message.ts')
  return checkMessage(receipt, record, keptReceipt(record.slice(record.lastIndexOf('/') + 1)))
}

function shown({ isKept, sentence, steps }: Checked): HTMLElement[] {
  const said = element('p', { className: 'verdict' }, element('strong', {}, sentence))
  if (steps.length === 0) return [said]
  const lines = steps.map(({ step, ok, message }) =>
    element('li', {}, `${ok ? '✓' : '·'} ${step}: ${message}`),
  )
  const list = element('ul', { className: 'plain hint steps' }, ...lines)
  return [
    ...(isKept ? [element('p', { className: 'kept' }, '✓ Unchanged, and sealed')] : []),
    said,
    element('p', { className: 'hint' }, CAUTION),
    element('details', {}, element('summary', {}, 'Each step'), list),
  ]
}
