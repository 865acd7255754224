// Shows a part of a drawing bright and the rest of it dim, by a copy that is clipped. One attribute changes at a time.
import { svg } from '../element.ts'

let count = 0

export class Reveal {
  readonly #rectangle: SVGRectElement
  readonly #width: number
  readonly #height: number

  /** @param parts siblings in one drawing; they become dim, and their copy bright */
  constructor(parts: readonly SVGGraphicsElement[]) {
    const [first] = parts as [SVGGraphicsElement]
    const drawing = first.ownerSVGElement as SVGSVGElement
    const { width, height } = drawing.viewBox.baseVal
    this.#width = width
    this.#height = height
    // Wider than the drawing, so that marks on its edge stay whole.
    this.#rectangle = svg('rect', { y: String(-height), height: String(3 * height) })
    const id = `reveal-${count++}`
    const clip = svg('clipPath', { id })
    clip.append(this.#rectangle)
    const bright = svg('g', { 'clip-path': `url(#${id})` })
    bright.append(...parts.map((part) => part.cloneNode(true)))
    for (const part of parts) part.classList.add('dim')
    drawing.append(clip, bright)
    this.show(1, 'left')
  }

  /** @param part from 0 to 1 @param from the side from which the drawing is bright */
  show(part: number, from: 'left' | 'bottom'): void {
    const [width, height] = [this.#width, this.#height]
    if (from === 'left') this.#rectangle.setAttribute('width', String(part * width))
    else {
      this.#rectangle.setAttribute('width', String(width))
      this.#rectangle.setAttribute('y', String((1 - part) * height))
    }
  }
}
