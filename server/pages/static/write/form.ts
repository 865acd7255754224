// Runs the form of a page: shows the limits, saves drafts, and publishes through the JSON API. After a failure the text
// stays in the form, and a retry sends it with the same Idempotency-Key.
import { refreshLists, watchForNew } from '../enhance/live.ts'
import { markSinceLastVisit } from '../enhance/since.ts'
import { keep } from '../kept.ts'
import { countDown } from './countdown.ts'
import { type Draft, deleteDraft, keyOf, newDraftId, readDraft } from './draft.ts'
import { clearFault, clearFaults, showFaults } from './faults.ts'
import { faultsIn, showLimits } from './limits.ts'
import { FieldList, giveChips, lacksLink, linksIn, refer, requireLink } from './list.ts'
import { showPublished } from './published.ts'
import { compareOwn, listOwn } from './receipts.ts'
import {
  ANSWERS,
  type Control,
  composed,
  controlsOf,
  type Failure,
  type Fault,
  type Field,
  faultOf,
  fieldsOf,
  post,
  requestText,
  type Success,
} from './request.ts'

const form = document.querySelector('form.publish') as HTMLFormElement
const { address = '', kind = '', place = '', sound = '', leaves = '', message = '' } = form.dataset
const button = form.querySelector('button[type=submit]') as HTMLButtonElement
const buttonWord = button.textContent
const discard = form.querySelector('.discard') as HTMLButtonElement
const state = form.querySelector('.state') as HTMLElement
const published = document.querySelector('.published') as HTMLElement
const lists = [...form.querySelectorAll<HTMLFieldSetElement>('[data-list]')].map(
  (element) => new FieldList(element, changed),
)
const links = lists.find(({ element }) => element.dataset.list === 'links')
const draftName = `daysignal draft: ${kind} ${place}`
// Entered before this script ran, by the visitor or by a browser that restores forms.
const typed = fieldsOf(form)
form.reset()
/** States of the form in which nothing was typed, as JSON. */
const untouched = new Set([JSON.stringify(fieldsOf(form))])
/** The chips that the page came with. */
const given = links?.items ?? []
/** The chip with the message that the text answers. */
const answered = form.querySelector<HTMLElement>(`:scope > .chip:has([name=${ANSWERS}])`)

let draft: Draft | undefined
/** Whether the browser has stored the draft. */
let isSaved = false
let isSending = false
/** Whether the form waits for the end of a rate limit. */
let isWaiting = false

restore()
const showOwn = () => listOwn(form.parentElement as HTMLElement, message)
showOwn()
void compareOwn(leaves).then(showOwn)
form.addEventListener('input', ({ target }) => {
  clearFault(target as Element)
  changed()
})
discard.addEventListener('click', discardDraft)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (isSending || isWaiting) return
  const faults = faultsFound()
  if (faults.length === 0) return void send()
  state.textContent = ''
  showFaults(form, faults)
})
if (links) offerLinks(links)
answered?.querySelector('.remove')?.addEventListener('click', () => {
  answered.remove()
  changed()
  controlNamed('body')?.focus()
})
markSinceLastVisit()
watchForNew()
// Disabled until now, because a click before this script ran would be lost.
button.disabled = false

function offerLinks(list: FieldList): void {
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name=kind]'))
    radio.addEventListener('change', () => requireLink(list, requiredRelation()))
  // On the document, since entries come and go.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[data-relation]')
    const id = link?.closest<HTMLElement>('[data-refer]')?.dataset.refer
    if (!link || !id || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const { relation = '' } = link.dataset
    form.hidden = false
    form.querySelector<HTMLInputElement>(`[name=kind][data-relation=${relation}]`)?.click()
    refer(list, { relation, id })
    requireLink(list, requiredRelation())
    controlNamed('body')?.focus()
  })
}

const chosenKind = (): HTMLInputElement | null =>
  form.querySelector<HTMLInputElement>('[name=kind]:checked')

/** The relation that the chosen kind of contribution requires of a link, if any. */
const requiredRelation = (): string | undefined => chosenKind()?.dataset.relation

/** Returns the faults of the fields, and the link that the chosen kind of contribution lacks. */
function faultsFound(): Fault[] {
  const relation = requiredRelation()
  const faults = faultsIn(form)
  if (links && !chosenKind()) faults.unshift({ field: 'kind', sentence: 'Choose a kind.' })
  if (!links || !relation || !lacksLink(links, relation)) return faults
  const sentence = `Link the message that this one ${chosenKind()?.dataset.does}.`
  return [...faults, { field: 'links', sentence }]
}

/** Restores the saved draft, or else what was typed before this script ran. */
function restore(): void {
  draft = readDraft(draftName)
  if (!draft) {
    for (const [name, value] of typed) fill(name, value)
    changed()
    return
  }
  const { id, fields } = draft
  for (const list of lists) {
    list.clear()
    const name = list.element.dataset.list ?? ''
    const last = fields.findLast(([field]) => field.startsWith(`${name}[`))?.[0] ?? ''
    if (list === links) for (const link of linksIn(fields)) refer(list, link)
    while (last && !controlNamed(last) && list.add());
  }
  for (const [name, value] of fields) fill(name, value)
  draft = { id, fields }
  if (links) giveChips(links, given)
  state.textContent = 'This is your draft, which was saved in this browser.'
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
  if (untouched.has(JSON.stringify(fields))) dropDraft()
  else draft = { id: draft?.id ?? newDraftId(), fields }
  isSaved = draft !== undefined && keep(draftName, draft)
  discard.hidden = draft === undefined
}

function dropDraft(): void {
  if (draft) deleteDraft(draftName, draft)
  draft = undefined
}

function discardDraft(): void {
  dropDraft()
  clear()
  clearFaults(form)
  state.textContent = 'The draft was discarded.'
  if (!isWaiting) button.textContent = buttonWord
  focusFirst()
}

/** Resets the form to its state before anything was typed. */
function clear(): void {
  form.reset()
  for (const list of lists) list.clear()
  untouched.add(JSON.stringify(fieldsOf(form)))
  changed()
}

async function send(): Promise<void> {
  draft ??= { id: newDraftId(), fields: fieldsOf(form) }
  const { id, fields } = draft
  const text = requestText(composed(fields))
  clearFaults(form)
  isSending = true
  setSubmittable(false)
  discard.disabled = true
  state.textContent = 'Publishing …'
  const reply = await post(address, keyOf(id, text), text).catch(() => null)
  isSending = false
  setSubmittable(true)
  discard.disabled = false
  if (reply?.created) await finish(reply, { id, fields })
  else explain(reply)
}

/** Uses aria-disabled, because a disabled button would lose the focus. */
function setSubmittable(canSend: boolean): void {
  button.ariaDisabled = canSend ? null : 'true'
}

/** @param failure null if the service could not be reached */
function explain(failure: Failure | null): void {
  if (failure === null) {
    offerRetry(
      'The service could not be reached.',
      'You can safely send it again later: it will not be published twice.',
    )
  } else if (failure.status === 429) {
    offerRetry('Too much is being published at the moment.')
    wait(failure.retryAfterSeconds)
  } else if (failure.status >= 500) {
    offerRetry(`Try again later: ${failure.message}.`)
  } else {
    state.textContent = ''
    showFaults(form, [faultOf(failure.message)])
  }
}

async function finish({ created, receipt }: Success, sent: Draft): Promise<void> {
  const body = bodyIn(composed(sent.fields))
  deleteDraft(draftName, sent)
  // True even if showing the record fails.
  state.textContent = 'Published.'
  button.textContent = buttonWord
  // Text typed while the request was in flight becomes a new draft.
  const isUnchanged = JSON.stringify(fieldsOf(form)) === JSON.stringify(sent.fields)
  draft = undefined
  answered?.remove()
  if (isUnchanged) clear()
  else changed()
  const before = bodyIn(sent.fields) ?? ''
  const isAnswer = sent.fields.some(([name]) => name === ANSWERS)
  const answers = answered && isAnswer ? { chip: answered, before } : null
  await showPublished(published, created, { body, answers, sound, receipt }, writeAgain)
  form.hidden = isUnchanged && !isSending
  // Not before the form above it is hidden, so that it comes into sight.
  published.focus()
  // The record is published in any case, and a reload shows it too.
  showOwn()
  await refreshLists().catch(() => {})
  // Meanwhile the next text may have been sent.
  if (!isSending) state.textContent = ''
}

/** Shows the form again, whose place a published record has taken. */
function writeAgain(): void {
  published.hidden = true
  form.hidden = false
  focusFirst()
}

const focusFirst = (): void =>
  controlsOf(form)
    .find(({ type }) => type !== 'hidden')
    ?.focus()

const bodyIn = (fields: readonly Field[]): string | undefined =>
  fields.find(([name]) => name === 'body')?.[1]

/** Both parameters are sentences. */
function offerRetry(reason: string, advice = ''): void {
  const where = isSaved ? 'saved in this browser' : 'not saved: keep this page open'
  state.textContent = `${reason} Your text is ${where}. ${advice}`
  button.textContent = 'Send again'
}

/** Blocks sending for that many seconds and counts them down on the button. */
function wait(seconds: number): void {
  isWaiting = true
  setSubmittable(false)
  countDown(seconds, (left) => {
    button.textContent = left === null ? 'Send again' : `Send again in ${left}`
    if (left !== null) return
    isWaiting = false
    setSubmittable(true)
    state.textContent = 'You can send it again now.'
  })
}
