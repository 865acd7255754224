// Runs the page that listens: the microphone, what is heard of a transmission, its day, and the recording.
import { SLOTS, TRANSMISSION_SECONDS } from '../../../../protocol/index.ts'
import type { Hearing, Transmission } from '../../../../protocol/receiver/index.ts'
import { quantity } from '../counters.ts'
import { COLUMNS_PER_SECOND } from '../decode/levels.ts'
import { openFilesWith } from '../decode/page.ts'
import { type ReportOf, startDecoder } from '../decode/report.ts'
import { showTransmission } from '../decode/results.ts'
import { drawLatest, Recording } from '../decode/spectrogram.ts'
import { element, find } from '../element.ts'
import { type Microphone, openMicrophone, openSound, whyNot } from './open.ts'

openFilesWith(openSound)

const button = find<HTMLButtonElement>('listen')
const state = find('state')
const fault = find('fault')
const received = find<HTMLProgressElement>('received')
const sight = find('sight')
const waterfall = find<HTMLCanvasElement>('waterfall')
const notes = find('notes')
const announcement = find('announcement')
const found = find('found')
const keeping = find('keeping')
const save = find<HTMLButtonElement>('save')

/** Columns that are kept for images: those of the longest transmission before the newest, and some room. */
const KEPT_COLUMNS = Math.ceil(130 * COLUMNS_PER_SECOND)
/** A transmission that began so long before the listening was joined in the middle [s]. */
const JOINED = -0.5
/** Digital silence for so long means that the microphone is muted [s]. */
const MUTED = 2
/** Two readings that start within this time are of one transmission [s]. */
const SAME_START = 1

let microphone: Microphone | null = null
/** Sound that was lost [s], and the note about it. */
let lost = 0
let gapNote: HTMLElement | null = null
let isDrawDue = false
let recording = new Recording(KEPT_COLUMNS)
let seconds = 0
let hearing: Hearing | null = null
/** When sound was last heard that is not digital silence [s]. */
let soundAt = 0
/** What was shown, with the element that shows it. */
let shown: { transmission: Transmission; card: HTMLElement }[] = []
/** Whether the last transmission that was heard has been read, and where it started. */
let last: { start: number; isRead: boolean } | null = null

const send = startDecoder({
  ready() {
    button.disabled = false
  },
  heard(report) {
    recording.add(report.levels)
    seconds = report.seconds
    if (!report.isSilent) soundAt = seconds
    follow(report.hearing)
    if (report.levels.length > 0 && !isDrawDue) requestAnimationFrame(draw)
    isDrawDue ||= report.levels.length > 0
  },
  reading: showReading,
  adding() {
    if (microphone)
      state.textContent =
        'Adding up what was heard more than once. What is heard meanwhile is kept, and read afterwards.'
  },
  gap: noteGap,
  ended: showEnd,
  saved: download,
  stopped() {
    stop()
    button.disabled = true
    fault.textContent = 'The receiver stopped. Reload the page to start it again.'
  },
})

button.addEventListener('click', () => {
  if (microphone) stop()
  else void start()
})
save.addEventListener('click', () => send({ kind: 'save' }))

async function start(): Promise<void> {
  button.disabled = true
  fault.textContent = ''
  state.textContent = 'Waiting for the microphone: allow it if your browser asks.'
  try {
    microphone = await openMicrophone()
    begin(microphone)
  } catch (error) {
    state.textContent = 'Not listening.'
    fault.textContent = whyNot(error)
  }
  button.disabled = false
}

function begin({ stream, context, node }: Microphone): void {
  const { port1, port2 } = new MessageChannel()
  send({ kind: 'listen', rate: context.sampleRate, port: port2 })
  node.port.postMessage(port1, [port1])
  recording = new Recording(KEPT_COLUMNS)
  seconds = 0
  soundAt = 0
  hearing = null
  last = null
  shown = []
  found.replaceChildren()
  notes.replaceChildren()
  lost = 0
  gapNote = null
  button.textContent = 'Stop listening'
  button.setAttribute('aria-pressed', 'true')
  state.textContent = 'Listening.'
  sight.hidden = false
  keeping.hidden = true
  const [track] = stream.getAudioTracks()
  track?.addEventListener('ended', () => {
    stop()
    fault.textContent = 'The microphone was disconnected. What it heard is kept.'
  })
  const { noiseSuppression, echoCancellation } = track?.getSettings() ?? {}
  if (noiseSuppression || echoCancellation)
    note('This browser leaves its filters for voices on, which makes tones weaker. Play it loud.')
}

function stop(): void {
  if (!microphone) return
  const { stream, context, node } = microphone
  microphone = null
  node.port.postMessage(null)
  for (const track of stream.getTracks()) track.stop()
  void context.close()
  send({ kind: 'end' })
  button.textContent = 'Listen'
  button.removeAttribute('aria-pressed')
  received.hidden = true
  keeping.hidden = false
  state.textContent = `Stopped after ${Math.round(seconds)} s. Looking through all of it once more …`
}

/** Draws when the browser has time, and not in the background. */
function draw(): void {
  isDrawDue = false
  const heardFrom = hearing?.start ?? Number.POSITIVE_INFINITY
  drawLatest(waterfall, recording, Math.floor(heardFrom * COLUMNS_PER_SECOND))
}

function follow(now: Hearing | null): void {
  if (hearing && !now && last && !last.isRead) noteUnread(last.start)
  hearing = now
  if (now && (!last || Math.abs(last.start - now.start) > SAME_START))
    last = { start: now.start, isRead: false }
  received.hidden = now === null
  received.value = (now?.slots ?? 0) / SLOTS
  if (microphone) state.textContent = stateOf(now)
}

function stateOf(now: Hearing | null): string {
  const newest = shown.at(-1)
  if (now === null) {
    // What was read is kept, even if a recording that was played ends in digital silence.
    if (newest) return `Read: ${briefOf(newest)}. Listening for the next one.`
    if (seconds - soundAt > MUTED)
      return 'Listening, but no sound at all arrives. Is the microphone muted?'
    return `Listening for ${Math.floor(seconds)} s. No transmission yet.`
  }
  const done = Math.round((now.slots / SLOTS) * TRANSMISSION_SECONDS)
  const heard = `${done} s of ${Math.round(TRANSMISSION_SECONDS)}`
  if (last?.isRead && newest)
    return `Read: ${briefOf(newest)}. The rest is still being sent, ${heard}.`
  const joined =
    now.start < JOINED
      ? ` Joined in the middle: the first ${Math.round(-now.start)} s were missed. If the rest is not enough, the next repetition is read.`
      : ''
  return `Hearing a transmission, ${heard}.${joined}`
}

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** `25 November, 21 messages` */
function briefOf({ transmission }: (typeof shown)[number]): string {
  const { day, counters } = transmission.fields
  const { messages } = counters
  return `${DATE.format(Date.parse(day))}${messages === null ? '' : `, ${quantity(messages, 'message')}`}`
}

function noteUnread(start: number): void {
  note(
    start < JOINED
      ? 'A transmission was joined in the middle, and what was left of it is not enough. Play it again: the next repetition is read.'
      : `The transmission at ${Math.round(start)} s could not be read. Play it again, louder or nearer: what is heard more than once is added up.`,
  )
}

/** Shows a day as soon as it is certain, and again when its transmission has ended. */
function showReading({ transmission, isWhole, at }: ReportOf<'reading'>): void {
  const { start } = transmission.diagnostics
  last = { start, isRead: true }
  const soFar = `It was certain after ${(at - start).toFixed(0)} s of ${Math.round(TRANSMISSION_SECONDS)}; the rest is still being sent.`
  show(transmission, isWhole ? {} : { soFar })
}

function show(transmission: Transmission, showing: { soFar?: string }): void {
  const card = showTransmission(transmission, recording, showing)
  const known = shown.find(
    (other) =>
      Math.abs(other.transmission.diagnostics.start - transmission.diagnostics.start) < SAME_START,
  )
  if (known) {
    known.card.replaceWith(card)
    Object.assign(known, { transmission, card })
    return
  }
  shown.push({ transmission, card })
  found.prepend(card)
  announcement.textContent = `Found the day ${transmission.fields.day}.`
}

/** Shows what only the search through all of the sound has found. */
function showEnd({ decoding, isCombined }: ReportOf<'ended'>): void {
  const { transmissions, error } = decoding
  for (const transmission of transmissions) show(transmission, {})
  const count = quantity(shown.length, 'transmission')
  const result =
    shown.length > 0
      ? `${count} read${isCombined ? ', from several repetitions together' : ''}: ${[...new Set(shown.map(briefOf))].join('; ')}.`
      : `Nothing was read: ${error?.message ?? 'no transmission was found'}.`
  state.textContent = `Stopped after ${Math.round(seconds)} s. ${result}`
}

/** States all gaps in one sentence, because there may be many. */
function noteGap(gap: ReportOf<'gap'>): void {
  lost += gap.seconds
  gapNote ??= note('')
  gapNote.textContent = `${lost.toFixed(1)} s of sound were lost, most recently at ${Math.round(gap.at)} s, because this device or tab was paused. A transmission at that time may still be read.`
}

function note(text: string): HTMLElement {
  const item = element('li', {}, text)
  notes.append(item)
  return item
}

function download({ wav }: ReportOf<'saved'>): void {
  const href = URL.createObjectURL(wav)
  const day = shown.at(-1)?.transmission.fields.day
  element('a', { href, download: day ? `heard-${day}.wav` : 'heard.wav' }).click()
  URL.revokeObjectURL(href)
}
