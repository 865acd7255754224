// Enhances pages without a form and without a player: commands get a copy button, lists tell of new messages.
import { addCopyButtons } from './copy-button.ts'
import { watchForNew } from './live.ts'

addCopyButtons(document)
watchForNew()
