// Shows what is wrong with a form, each fault at its field and all in a summary that receives the focus.
import { element } from '../element.ts'
import { controlsOf, type Fault } from './request.ts'

export function showFaults(form: HTMLFormElement, faults: readonly Fault[]): void {
  clearFaults(form)
  const items = faults.map(({ field, sentence }) => {
    const at = elementOf(form, field)
    if (at) markField(at, sentence)
    return element('li', {}, at ? linkTo(at, sentence) : sentence)
  })
  const summary = form.querySelector<HTMLElement>('.errors')
  summary?.replaceChildren(element('h3', {}, 'This was not published'), element('ul', {}, ...items))
  summary?.removeAttribute('hidden')
  summary?.focus()
}

/** A link that focuses the field; following a fragment alone would not. */
function linkTo(at: HTMLElement, sentence: string): HTMLElement {
  const link = element('a', { href: `#${encodeURIComponent(at.id)}` }, `${nameOf(at)}: ${sentence}`)
  const target =
    at instanceof HTMLFieldSetElement ? at.querySelector<HTMLElement>('.add, input') : at
  link.addEventListener('click', (event) => {
    event.preventDefault()
    target?.focus()
  })
  return link
}

/** Returns the label of a field, for an item of a list with its number, as in `Source 2, address`. */
function nameOf(at: HTMLElement): string {
  const label = at.closest('.field, fieldset')?.querySelector('label, legend')?.textContent ?? ''
  const item = at.closest('.item')?.querySelector('legend')?.textContent
  return item ? `${item}, ${label.toLowerCase()}` : label
}

export function clearFaults(form: HTMLFormElement): void {
  form.querySelector('.errors')?.setAttribute('hidden', '')
  for (const at of form.querySelectorAll('[aria-invalid]')) clearFault(at)
}

/** Removes what was wrong with a field, or with a set or list that it is in, and the summary with the last one. */
export function clearFault(field: Element): void {
  const [at, form] = [field.closest('[aria-invalid]'), field.closest('form')]
  if (!at || !form) return
  at.removeAttribute('aria-invalid')
  const others = describedBy(at).filter((id) => id !== faultId(at))
  at.setAttribute('aria-describedby', others.join(' '))
  document.getElementById(faultId(at))?.remove()
  if (!form.querySelector('[aria-invalid]')) clearFaults(form)
}

/** Finds the control, the set of radio buttons or the list with the field's name. A hidden control cannot show an error. */
function elementOf(form: HTMLFormElement, field: string): HTMLElement | undefined {
  const controls = controlsOf(form).filter(({ type }) => type !== 'hidden')
  const lists = form.querySelectorAll<HTMLElement>('[data-list]')
  const control = controls.find(({ name }) => name === field)
  return (
    (control?.type === 'radio' ? control.closest('fieldset') : control) ??
    [...lists].find(({ dataset }) => dataset.list === field)
  )
}

function markField(at: HTMLElement, sentence: string): void {
  at.setAttribute('aria-invalid', 'true')
  at.setAttribute('aria-describedby', [faultId(at), ...describedBy(at)].join(' '))
  const fault = element('p', { className: 'fault', id: faultId(at) }, sentence)
  if (at instanceof HTMLFieldSetElement) at.querySelector('legend')?.after(fault)
  else at.before(fault)
}

const faultId = (at: Element): string => `${at.id}-fault`

const describedBy = (at: Element): string[] =>
  (at.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '')
