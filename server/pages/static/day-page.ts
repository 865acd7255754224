// Enhances the pages of days: players, arrow keys between days, counts in the charts, and copy buttons.
import { addCopyButtons } from './copy-button.ts'
import { followArrowKeys } from './day-keys.ts'
import { showValues } from './day-values.ts'
import { watchForNew } from './live.ts'
import { playInTurn } from './month-player.ts'
import { enhancePlayer } from './tone-player.ts'

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)
for (const section of document.querySelectorAll<HTMLElement>('.playlist')) playInTurn(section)

followArrowKeys()
showValues()
addCopyButtons(document)

watchForNew()
