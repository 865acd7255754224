// Shows a part of a drawing bright and the rest of it dim, by a copy that is clipped. One attribute changes at a time.
import { svg } from '../element.ts'

let count = 0

/**
 * @param parts siblings in one drawing; they become dim, and their copy bright
 * @returns a function that makes a part bright, from 0 to 1, from one side on
 */
export function revealing(parts: readonly [SVGGraphicsElement, ...SVGGraphicsElement[]]) {
  const drawing = parts[0].ownerSVGElement as SVGSVGElement
  const { width, height } = drawing.viewBox.baseVal
  // Wider than the drawing, so that marks on its edge stay whole.
  const rectangle = svg('rect', { y: String(-height), height: String(3 * height) })
  const id = `reveal-${count++}`
  const copies = parts.map((part) => part.cloneNode(true) as SVGElement)
  for (const part of parts) part.classList.add('dim')
  drawing.append(
    svg('clipPath', { id }, rectangle),
    svg('g', { 'clip-path': `url(#${id})` }, ...copies),
  )
  const show = (part: number, from: 'left' | 'bottom'): void => {
    rectangle.setAttribute('width', String(from === 'left' ? part * width : width))
    if (from === 'bottom') rectangle.setAttribute('y', String((1 - part) * height))
  }
  show(1, 'left')
  return show
}
