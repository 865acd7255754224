// Checks a form before it is sent, so that a visitor sees all faults at once. The rules are in the attributes of the
// fields; the API checks everything again.
import { usedOf } from './limits.ts'
import { type Control, controlsOf, type Fault } from './request.ts'

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
