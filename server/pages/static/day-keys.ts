// Moves to the neighbouring day or month with the arrow keys.

const RELATIONS: Partial<Record<string, string>> = { ArrowLeft: 'prev', ArrowRight: 'next' }
/** Elements that use the arrow keys themselves. */
const OWN_KEYS = 'input, textarea, select, audio, video, [tabindex="0"]'

export function followArrowKeys(): void {
  document.addEventListener('keydown', (event) => {
    const relation = RELATIONS[event.key]
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey
    if (!relation || hasModifier || (event.target as Element).closest(OWN_KEYS)) return
    document.querySelector<HTMLAnchorElement>(`.neighbours a[rel=${relation}]`)?.click()
  })
}
