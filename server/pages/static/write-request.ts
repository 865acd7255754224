// What a form sends: its fields, by the API's own names, as the API's own JSON.

/** A field's name, as in `body` or `links[0].message_id`, and what it holds. */
export type Field = [name: string, value: string]

const LISTED = /^([a-z_]+)\[(\d+)\]\.([a-z_]+)$/
/** Numbers go out as they were typed: they may exceed what JavaScript counts exactly. */
const NUMBER = /^(?:0|[1-9][0-9]{0,18})$/

/** The controls' names and values; of radio buttons the one that is chosen. */
export function fieldsOf(form: HTMLFormElement): Field[] {
  return controlsOf(form)
    .filter((control) => !(control instanceof HTMLInputElement) || isSent(control))
    .map((control) => [control.name, control.value])
}

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

export const controlsOf = (form: HTMLFormElement): Control[] => [
  ...form.querySelectorAll<Control>('input[name], textarea[name], select[name]'),
]

const isSent = ({ type, checked }: HTMLInputElement) => type !== 'radio' || checked

/** The request's JSON. What is optional and empty is left out. */
export function requestText(fields: readonly Field[]): string {
  const members = new Map<string, string>()
  const lists = new Map<string, string[][]>()
  for (const [name, value] of fields) {
    const [, list, index, part] = LISTED.exec(name) ?? []
    if (list === undefined || part === undefined) {
      if (name !== 'author_label' || value !== '') members.set(name, JSON.stringify(value))
      continue
    }
    const items = lists.get(list) ?? []
    lists.set(list, items)
    const item = items[Number(index)] ?? []
    items[Number(index)] = item
    const isNumber = part === 'message_id' && NUMBER.test(value.trim())
    item.push(`"${part}":${isNumber ? value.trim() : JSON.stringify(value)}`)
  }
  for (const [list, items] of lists)
    members.set(list, `[${items.map((item) => `{${item.join()}}`).join()}]`)
  return `{${[...members].map(([name, json]) => `"${name}":${json}`).join()}}`
}

/** An error of the API, `body: must hold …`: its field, if it names one, and what is wrong. */
export function faultOf(message: string): { field: string; sentence: string } {
  const [, field = '', rule = message] =
    /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.*)$/s.exec(message) ?? []
  const sentence = `${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}.`
  return { field, sentence }
}
