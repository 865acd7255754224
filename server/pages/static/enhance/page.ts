// Enhances all pages without a form: commands get a copy button, lists tell of new messages, a message can be
// checked, and what is new is marked.
import { addCheckButton } from '../check/button.ts'
import { element } from '../element.ts'
import { watchForNew } from './live.ts'
import { markSinceLastVisit } from './since.ts'

const SHOWN_MS = 2000

/** Adds nothing if the browser has no clipboard API, for example over plain HTTP. */
function addCopyButtons(within: ParentNode): void {
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

addCopyButtons(document)
addCheckButton()
markSinceLastVisit()
watchForNew()
