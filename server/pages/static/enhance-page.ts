// Enhances pages without a form and without a player: commands get a copy button.
import { addCopyButtons } from './copy-button.ts'

addCopyButtons(document)
