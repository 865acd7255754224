// Shows below a limited field how much room is left, once most of it is used.
import { type Control, controlsOf } from './request.ts'

/** The part of a limit from which on the rest is shown. */
const SHOWN_FROM = 0.8

export function showLimits(form: HTMLFormElement): void {
  for (const control of controlsOf(form)) {
    const shown = document.getElementById(`${control.id}-limit`)
    if (control.dataset.max === undefined || !shown) continue
    const { used, max, left } = roomIn(control)
    shown.textContent = used < SHOWN_FROM * max ? '' : left
    shown.classList.toggle('over', used > max)
  }
}

/** The length of a text in the API's unit, UTF-8 bytes or characters. */
export const usedOf = ({ value, dataset: { unit } }: Control): number =>
  unit === 'bytes' ? new TextEncoder().encode(value).length : [...value].length

/** Tells the rest in letters like those of the text. */
function roomIn(control: Control) {
  const { value, dataset } = control
  const max = Number(dataset.max)
  const letters = [...value].length
  const used = usedOf(control)
  const rest = Math.trunc((max - used) / (used / Math.max(letters, 1)))
  const about = dataset.unit === 'bytes' ? 'about ' : ''
  const count = `${about}${Math.abs(rest).toLocaleString('en')} ${Math.abs(rest) === 1 ? 'letter' : 'letters'}`
  return { used, max, left: used > max ? `${count} too many` : `${count} left` }
}
