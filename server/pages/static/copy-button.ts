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
      const isCopied = await navigator.clipboard.writeText(code.textContent.trim()).then(
        () => true,
        // The browser or the visitor has denied access to the clipboard.
        () => false,
      )
      button.textContent = isCopied ? 'Copied' : 'Not copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, SHOWN_MS)
    })
    command.append(button)
  }
}
