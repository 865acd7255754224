// Enhances the pages of days, in addition to what all pages have: players, arrow keys between days, counts in the charts,
// and the comparison with a transmission that was received.
import { compareFrame } from './compare-frame.ts'
import { showValues } from './values.ts'
import '../enhance/page.ts'
import { playInTurn } from './month-player.ts'
import { enhancePlayer } from './tone-player.ts'

const RELATIONS: Partial<Record<string, string>> = { ArrowLeft: 'prev', ArrowRight: 'next' }
/** Elements that use the arrow keys themselves. */
const OWN_KEYS = 'input, textarea, select, audio, video, [tabindex="0"]'

function followArrowKeys(): void {
  document.addEventListener('keydown', (event) => {
    const relation = RELATIONS[event.key]
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey
    if (!relation || hasModifier || (event.target as Element).closest(OWN_KEYS)) return
    document.querySelector<HTMLAnchorElement>(`.neighbours a[rel=${relation}]`)?.click()
  })
}

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)
for (const section of document.querySelectorAll<HTMLElement>('.playlist')) playInTurn(section)

followArrowKeys()
showValues()
compareFrame()
addEventListener('hashchange', compareFrame)
