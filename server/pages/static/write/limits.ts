// Shows below a limited field how much room is left, once most of it is used, and checks a form before it is sent, so that a
// visitor sees all faults at once. The rules are in the attributes of the fields; the API checks everything again.
import { type Control, controlsOf, type Fault } from './request.ts'

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
const usedOf = ({ value, dataset: { unit } }: Control): number =>
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

const NOT_WHITE_SPACE = /\P{White_Space}/u

/** Returns at most one fault of each field, in the order of the form. */
export function faultsIn(form: HTMLFormElement): Fault[] {
  return controlsOf(form).flatMap((control) => {
    const sentence = faultIn(control)
    return sentence === undefined ? [] : [{ field: control.name, sentence }]
  })
}

/** Returns what is wrong with a field, as a sentence. */
function faultIn(control: Control): string | undefined {
  const { value, dataset } = control
  const { required, max, unit, pattern, expected } = dataset
  if (!NOT_WHITE_SPACE.test(value)) return required
  if (max !== undefined && usedOf(control) > Number(max))
    return `At most ${Number(max).toLocaleString('en')} ${unit}.`
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'u').test(value.trim()))
    return expected
  return undefined
}
