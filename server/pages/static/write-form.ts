// The form of a page: counts what is typed, keeps it as a draft, and sends it as the API's own JSON. What fails stays
// typed, and is sent again under the same key.
import { countDown } from './write-countdown.ts'
import { type Draft, DraftKeeper, keyOf, newDraftId } from './write-draft.ts'
import { clearFaults, showFault } from './write-faults.ts'
import { showLimits } from './write-limits.ts'
import { askForLink, FieldList, refer } from './write-list.ts'
import { showPublished } from './write-published.ts'
import { type Control, controlsOf, type Field, fieldsOf, requestText } from './write-request.ts'

/** How long an answer may take [ms]. */
const PATIENCE_MS = 30_000

const form = document.querySelector('form.publish') as HTMLFormElement
const { address = '', kind = '', place = '' } = form.dataset
const button = form.querySelector('button[type=submit]') as HTMLButtonElement
const discard = form.querySelector('.discard') as HTMLButtonElement
const state = form.querySelector('.state') as HTMLElement
const published = document.querySelector('.published') as HTMLElement
const lists = [...form.querySelectorAll<HTMLFieldSetElement>('[data-list]')].map(
  (element) => new FieldList(element, changed),
)
const links = lists.find(({ element }) => element.dataset.list === 'links')
const drafts = new DraftKeeper(kind, place)
// Before this script was there, by the visitor or by a browser that restores forms.
const typed = fieldsOf(form)
form.reset()
const untouched = JSON.stringify(fieldsOf(form))

let draft: Draft | undefined
let isSending = false
/** Until the service takes more. */
let isWaiting = false

restore()
form.addEventListener('input', changed)
discard.addEventListener('click', discardDraft)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (!isSending && !isWaiting) void send()
})
if (links) offerLinks(links)
offerDirectories()
// Disabled until here: a click before could only have been lost.
button.disabled = false

function offerLinks(list: FieldList): void {
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name=kind]'))
    radio.addEventListener('change', () => askForLink(list, requiredRelation()))
  for (const link of document.querySelectorAll<HTMLElement>('[data-refer]'))
    link.addEventListener('click', (event) => {
      event.preventDefault()
      refer(list, link.dataset.refer ?? '', requiredRelation())
    })
}

function offerDirectories(): void {
  for (const link of document.querySelectorAll<HTMLElement>('[data-directory]'))
    link.addEventListener('click', (event) => {
      event.preventDefault()
      fill('directory', link.dataset.directory ?? '')
      changed()
      controlNamed('body')?.focus()
    })
}

/** What a link of the chosen kind of contribution must say, where it needs one. */
const requiredRelation = (): string | undefined =>
  form.querySelector<HTMLInputElement>('[name=kind]:checked')?.dataset.relation

/** Shows what was typed before and not published. */
function restore(): void {
  draft = drafts.read()
  if (!draft) {
    for (const [name, value] of typed) fill(name, value)
    changed()
    return
  }
  const { id, fields } = draft
  for (const list of lists) {
    const name = list.element.dataset.list ?? ''
    const last = fields.findLast(([field]) => field.startsWith(`${name}[`))?.[0] ?? ''
    while (last && !controlNamed(last) && list.add());
  }
  for (const [name, value] of fields) fill(name, value)
  draft = { id, fields }
  state.textContent = 'This is your draft, which was kept in this browser.'
  changed()
}

function controlNamed(name: string): Control | undefined {
  return controlsOf(form).find((control) => control.name === name)
}

function fill(name: string, value: string): void {
  for (const control of controlsOf(form).filter((one) => one.name === name))
    if (control.type === 'radio') (control as HTMLInputElement).checked = control.value === value
    else if (control.type !== 'hidden') control.value = value
}

function changed(): void {
  showLimits(form)
  const fields = fieldsOf(form)
  if (JSON.stringify(fields) === untouched) forget()
  else {
    draft = { id: draft?.id ?? newDraftId(), fields }
    drafts.keep(draft)
  }
  discard.hidden = draft === undefined
}

function forget(): void {
  if (draft) drafts.drop(draft)
  draft = undefined
}

function discardDraft(): void {
  forget()
  empty()
  clearFaults(form)
  state.textContent = 'The draft is discarded.'
  if (!isWaiting) button.textContent = 'Publish'
  controlsOf(form)
    .find(({ type }) => type !== 'hidden')
    ?.focus()
}

/** Brings the form back to what it was before anything was typed. */
function empty(): void {
  form.reset()
  for (const list of lists) list.clear()
  changed()
}

async function send(): Promise<void> {
  draft ??= { id: newDraftId(), fields: fieldsOf(form) }
  const { id, fields } = draft
  const text = requestText(fields)
  clearFaults(form)
  isSending = true
  admit(false)
  discard.disabled = true
  state.textContent = 'Publishing …'
  try {
    await received(await post(keyOf(id, text), text), { id, fields })
  } catch {
    say(
      'The service could not be reached. Your text is kept in this browser; send it again later: it will not be published twice.',
    )
  } finally {
    isSending = false
    admit(!isWaiting)
    discard.disabled = false
  }
}

/** Whether the button sends. It keeps the focus meanwhile, which a disabled one loses. */
function admit(canSend: boolean): void {
  button.ariaDisabled = canSend ? null : 'true'
}

const post = (key: string, body: string): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })

async function received(answer: Response, sent: Draft): Promise<void> {
  const { status, ok } = answer
  const body = await answer.json()
  if (ok) return finish(body, sent)
  const message: string = body.error.message
  if (status === 429) {
    say('Too much is being published at the moment. Your text is kept in this browser.')
    wait(Number(answer.headers.get('retry-after')))
  } else if (status >= 500) {
    say(`Not now: ${message}. Your text is kept in this browser; send it again later.`)
  } else {
    state.textContent = ''
    showFault(form, message)
  }
}

function finish(created: { url: string }, sent: Draft): Promise<void> {
  const body = bodyIn(sent.fields)
  drafts.drop(sent)
  state.textContent = ''
  button.textContent = 'Publish'
  // What was typed while the answer was on its way is another text.
  const isUnchanged = JSON.stringify(fieldsOf(form)) === JSON.stringify(sent.fields)
  draft = undefined
  if (isUnchanged) empty()
  else changed()
  return showPublished(published, created, body)
}

const bodyIn = (fields: readonly Field[]): string | undefined =>
  fields.find(([name]) => name === 'body')?.[1]

function say(sentence: string): void {
  state.textContent = sentence
  button.textContent = 'Send again'
}

/** Offers to send again after so many seconds. */
function wait(seconds: number): void {
  isWaiting = true
  countDown(seconds, (left) => {
    button.textContent = left === null ? 'Send again' : `Send again in ${left}`
    if (left !== null) return
    isWaiting = false
    admit(true)
    state.textContent = 'You can send it again now.'
  })
}
