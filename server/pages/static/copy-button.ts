// Adds a copy button to each command.
import { element } from './element.ts'

const SHOWN_MS = 2000

/** Adds nothing if the browser has no clipboard API, for example over plain HTTP. */
export function addCopyButtons(within: ParentNode): void {
  if (!navigator.clipboard) return
  for (const command of within.querySelectorAll<HTMLElement>('pre.command')) {
    const code = command.querySelector('code')
    if (!code) continue
    const button = element('button', { type: 'button', className: 'copy' }, 'Copy')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent.trim())
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, SHOWN_MS)
    })
    command.append(button)
  }
}
