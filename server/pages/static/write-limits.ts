// Shows below each limited field how much of its limit is used, in the API's unit: UTF-8 bytes or characters.
import { controlsOf } from './write-request.ts'

export function showLimits(form: HTMLFormElement): void {
  for (const control of controlsOf(form)) {
    const { max, unit } = control.dataset
    const shown = document.getElementById(`${control.id}-limit`)
    if (max === undefined || !shown) continue
    const used = unit === 'bytes' ? utf8Bytes(control.value) : [...control.value].length
    shown.textContent = `${used.toLocaleString('en')} of ${Number(max).toLocaleString('en')} ${unit}`
    shown.classList.toggle('over', used > Number(max))
  }
}

export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length
