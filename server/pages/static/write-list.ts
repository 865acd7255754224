// A list of items that a visitor can extend: sources or links. The fields of an item carry its index, as in API errors,
// in their names and in every attribute that refers to them.
const NUMBERED = ['id', 'name', 'for', 'aria-describedby']

export class FieldList {
  readonly element: HTMLFieldSetElement
  readonly #max: number
  readonly #one: string
  readonly #add: HTMLButtonElement
  readonly #template: HTMLTemplateElement
  readonly #changed: () => void

  /** @param changed called after an item was added or removed */
  constructor(element: HTMLFieldSetElement, changed: () => void) {
    this.element = element
    this.#max = Number(element.dataset.max)
    this.#one = element.dataset.one ?? ''
    this.#add = element.querySelector('.add') as HTMLButtonElement
    this.#template = element.querySelector('template') as HTMLTemplateElement
    this.#changed = changed
    this.#add.addEventListener('click', () => this.add()?.querySelector('input')?.focus())
  }

  get items(): HTMLFieldSetElement[] {
    return [...this.element.querySelectorAll<HTMLFieldSetElement>('.item')]
  }

  /** @returns the new item; undefined if the list is full */
  add(): HTMLFieldSetElement | undefined {
    if (this.items.length >= this.#max) return undefined
    const copy = this.#template.content.cloneNode(true) as DocumentFragment
    const item = copy.querySelector('.item') as HTMLFieldSetElement
    item.querySelector('.remove')?.addEventListener('click', () => {
      this.remove(item)
      this.#add.focus()
    })
    this.#add.parentElement?.before(item)
    this.#number()
    return item
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
      const title = `${this.#one} ${i + 1}`
      item.querySelector('legend')?.replaceChildren(title)
      item.querySelector('.remove')?.replaceChildren(`Remove ${title.toLowerCase()}`)
      for (const part of item.querySelectorAll('*'))
        for (const name of NUMBERED) {
          const value = part.getAttribute(name)
          if (value?.includes('[')) part.setAttribute(name, value.replaceAll(/\[\d+\]/g, `[${i}]`))
        }
    }
    this.#add.disabled = this.items.length >= this.#max
    this.#changed()
  }
}

interface LinkFields {
  relation: HTMLSelectElement
  number: HTMLInputElement
}

const linkFields = (item: HTMLFieldSetElement): LinkFields => ({
  relation: item.querySelector('select') as HTMLSelectElement,
  number: item.querySelector('input') as HTMLInputElement,
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

/** Fills in a link to a message, in the first item without a number or in a new one. */
export function refer(links: FieldList, id: string, required: string | undefined): void {
  const unfilled = links.items.find((item) => linkFields(item).number.value === '')
  const item = unfilled ?? links.add()
  if (!item) return
  const { relation, number } = linkFields(item)
  if (!unfilled) relation.value = required ?? 'extends'
  number.value = id
  number.dispatchEvent(new Event('input', { bubbles: true }))
  relation.focus()
}
