// Enhances pages with a player: the strip of tones plays and seeks, and commands get a copy button.
import { addCopyButtons } from './copy-button.ts'
import { enhancePlayer } from './tone-player.ts'

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)

addCopyButtons(document)
