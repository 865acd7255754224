// A list of items that a visitor can extend: sources or links. The fields of an item carry its index, as in API errors,
// in their names and in every attribute that refers to them.
import { element } from '../element.ts'
import type { Field } from './request.ts'

const NUMBERED = ['id', 'name', 'for', 'aria-describedby']

export class FieldList {
  readonly element: HTMLFieldSetElement
  readonly #add: HTMLButtonElement
  readonly #template: HTMLTemplateElement
  readonly #changed: () => void

  /** @param changed called after an item was added or removed */
  constructor(element: HTMLFieldSetElement, changed: () => void) {
    this.element = element
    this.#add = element.querySelector('.add') as HTMLButtonElement
    this.#template = element.querySelector('template') as HTMLTemplateElement
    this.#changed = changed
    this.#add.addEventListener('click', () => this.add()?.querySelector('input')?.focus())
    for (const item of this.items) this.#offerRemoval(item)
  }

  get items(): HTMLFieldSetElement[] {
    return [...this.element.querySelectorAll<HTMLFieldSetElement>('.item')]
  }

  get #isFull(): boolean {
    return this.items.length >= Number(this.element.dataset.max)
  }

  /** @returns the new item; undefined if the list is full */
  add(template = this.#template): HTMLFieldSetElement | undefined {
    const copy = template.content.cloneNode(true) as DocumentFragment
    const item = copy.querySelector('.item') as HTMLFieldSetElement
    this.#offerRemoval(item)
    return this.append(item)
  }

  /** Adds a new chip, or an item if this list has no chips. */
  addChip(): HTMLFieldSetElement | undefined {
    return this.add(this.element.querySelector<HTMLTemplateElement>('.chips') ?? undefined)
  }

  /** @returns the item; undefined if the list is full */
  append(item: HTMLFieldSetElement): HTMLFieldSetElement | undefined {
    if (this.#isFull) return undefined
    this.#add.parentElement?.before(item)
    this.#number()
    return item
  }

  /** What the choice of a relation calls it. */
  wordFor(relation: string): string {
    const choice = this.#template.content.querySelector(`option[value="${relation}"]`)
    return choice?.textContent ?? relation
  }

  #offerRemoval(item: HTMLFieldSetElement): void {
    item.querySelector('.remove')?.addEventListener('click', () => {
      this.remove(item)
      this.#add.focus()
    })
  }

  remove(item: HTMLFieldSetElement): void {
    item.remove()
    this.#number()
  }

  clear(): void {
    for (const item of this.items) item.remove()
    this.#number()
  }

  #number(): void {
    for (const [i, item] of this.items.entries()) {
      if (!item.classList.contains('chip')) {
        const title = `${this.element.dataset.one} ${i + 1}`
        item.querySelector('legend')?.replaceChildren(title)
        item.querySelector('.remove')?.replaceChildren(`Remove ${title.toLowerCase()}`)
      }
      for (const part of item.querySelectorAll('*'))
        for (const name of NUMBERED) {
          const value = part.getAttribute(name)
          if (value?.includes('[')) part.setAttribute(name, value.replaceAll(/\[\d+\]/g, `[${i}]`))
        }
    }
    this.#add.disabled = this.#isFull
    this.#changed()
  }
}

const linkFields = (item: HTMLFieldSetElement) => ({
  relation: item.querySelector('[name$=".relation"]') as HTMLSelectElement,
  number: item.querySelector('[name$=".message_id"]') as HTMLInputElement,
})

/** Whether no link has the relation that the kind of contribution requires. */
export const lacksLink = (links: FieldList, relation: string): boolean =>
  links.items.every((item) => linkFields(item).relation.value !== relation)

/** Adds the link that the kind of contribution requires, and removes links that are still empty. */
export function requireLink(links: FieldList, relation: string | undefined): void {
  for (const item of links.items) if (linkFields(item).number.value === '') links.remove(item)
  if (!relation || !lacksLink(links, relation)) return
  const item = links.add()
  if (item) linkFields(item).relation.value = relation
}

export interface DraftLink {
  relation: string
  id: string
}

export function linksIn(fields: readonly Field[]): DraftLink[] {
  const values = new Map(fields)
  return fields.flatMap(([name, relation]) => {
    const id = name.endsWith('.relation') && values.get(name.replace('.relation', '.message_id'))
    return typeof id === 'string' ? [{ relation, id }] : []
  })
}

/** Adds a link unless the list has it: as a chip if the message is on this page, else as fields. */
export function refer(links: FieldList, { relation, id }: DraftLink): void {
  if (links.items.some((item) => isLink(item, { relation, id }))) return
  const entry = id === '' ? null : document.getElementById(`message-${id}`)
  const item = entry ? links.addChip() : links.add()
  if (!item) return
  const fields = linkFields(item)
  fields.relation.value = relation
  fields.number.value = id
  if (entry)
    item
      .querySelector('legend')
      ?.replaceChildren(`${links.wordFor(relation)} `, ...quoteOf(entry, id))
  fields.number.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Adds the chips that a page came with again, after a draft was restored. */
export function giveChips(links: FieldList, chips: readonly HTMLFieldSetElement[]): void {
  for (const chip of chips) {
    const { relation, number } = linkFields(chip)
    const link = { relation: relation.value, id: number.value }
    if (!links.items.some((item) => isLink(item, link))) links.append(chip)
  }
}

function isLink(item: HTMLFieldSetElement, { relation, id }: DraftLink): boolean {
  const fields = linkFields(item)
  return fields.relation.value === relation && fields.number.value === id
}

const QUOTE_CHARACTERS = 80

/** Words a chip as the service does after the relation: message, author, first words. */
function quoteOf(entry: HTMLElement, id: string): (Node | string)[] {
  const author = entry.querySelector('.meta .author')?.textContent
  const text = entry.querySelector('.body')?.textContent.trim().replaceAll(/\s+/g, ' ') ?? ''
  const words = [...text].slice(0, QUOTE_CHARACTERS).join('')
  return [
    element('a', { href: `#${entry.id}` }, `message ${id}`),
    ...(author ? [', ', element('bdi', { className: 'author' }, author)] : []),
    ': ',
    element('q', { dir: 'auto' }, words === text ? words : `${words} …`),
  ]
}
