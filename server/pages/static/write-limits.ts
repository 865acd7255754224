// How much of each limited field is used, below it: in bytes of UTF-8 where the API counts bytes.
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

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length
