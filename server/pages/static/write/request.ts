// Composes and sends the JSON request of a form, whose fields have the names of the API.

const RESPONSE_TIMEOUT_MS = 30_000

/** The name of a field, as in `body` or `links[0].message_id`, and its value. */
export type Field = [name: string, value: string]

const LISTED = /^([a-z_]+)\[(\d+)\]\.([a-z_]+)$/
/** Ids are sent as typed, without parsing: they may exceed JavaScript's safe integers. */
const NUMBER = /^(?:0|[1-9][0-9]{0,18})$/

/** Returns the names and values of the controls, and of radio buttons only the checked one. */
export const fieldsOf = (form: HTMLFormElement): Field[] => [...new FormData(form)] as Field[]

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

export const controlsOf = (form: HTMLFormElement): Control[] => [
  ...form.querySelectorAll<Control>('input[name], textarea[name], select[name]'),
]

/** The field of a chip with the address of the message that the text answers. */
export const ANSWERS = 'answers'

/** Returns the fields of the request: the address of the answered message becomes the end of the text. */
export function composed(fields: readonly Field[]): Field[] {
  const address = fields.find(([name]) => name === ANSWERS)?.[1]
  return fields
    .filter(([name]) => name !== ANSWERS)
    .map(([name, value]) =>
      name === 'body' && address ? [name, `${value}\n\n${address}`] : [name, value],
    )
}

/** Serializes the request. An empty author_label is omitted. */
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

/** The response to a request that created a record, or had created it before. */
export interface Success {
  /** Fields of the four creates. A directory has no hash. */
  created: { url: string; message_url?: string; body_hash?: string; directory?: string }
  /** The address of the receipt; null if the record has none. */
  receipt: string | null
}

const receiptIn = ({ headers }: Response): string | null =>
  /<(\/messages\/\d+\.receipt)>; rel="receipt"/.exec(headers.get('link') ?? '')?.[1] ?? null

/** The error response to a request that created nothing. */
export interface Failure {
  created: null
  status: number
  message: string
  /** 0 if the response names no delay. */
  retryAfterSeconds: number
}

/** @throws if no response of this service arrives in full */
export async function post(address: string, key: string, body: string): Promise<Success | Failure> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  })
  const received = await response.json()
  if (response.ok) return { created: received, receipt: receiptIn(response) }
  return {
    created: null,
    status: response.status,
    message: received.error.message,
    retryAfterSeconds: Number(response.headers.get('retry-after')),
  }
}

/** What is wrong with a field, or with the request if the field is empty. */
export interface Fault {
  /** The name in the API, as in `body` or `links[0].message_id`. */
  field: string
  sentence: string
}

/** Splits an API error message, such as `body: must …`, into the field, if it names one, and a sentence. */
export function faultOf(message: string): Fault {
  const [, field = '', rule = message] =
    /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.*)$/s.exec(message) ?? []
  const sentence = `${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}.`
  return { field, sentence }
}
