// Runs the decoder page: accepts files, passes them to the worker one at a time, and shows the results.
// Everything is loaded before the first file is accepted; after that the page makes no request. The page that listens
// includes this script, and gives it files of other formats too.
import { element, find } from '../element.ts'
import { EXAMPLE_NAME } from './example.ts'
import { startDecoder, type Task } from './report.ts'
import { failure, showDecoding } from './results.ts'
import { drawRecording, Recording } from './spectrogram.ts'

const input = find<HTMLInputElement>('file')
const drop = find('drop')
const status = find('status')
const progress = find<HTMLProgressElement>('progress')
const results = find('results')
/** Only the decoder's own page has one. */
const example = document.querySelector<HTMLButtonElement>('#example')
const live = find<HTMLCanvasElement>('live')

let isWavOnly = true
let taskFor = async (file: File): Promise<Task> => ({ kind: 'decode', file })

/** Accepts files of other formats too. @param open rejects with an Error whose message is a clause */
export function openFilesWith(open: (file: File) => Promise<Task>): void {
  isWavOnly = false
  taskFor = open
}

/** The queue of files; the worker is decoding the first. */
const files: File[] = []
/** The spectrogram of the first file so far. */
let recording = new Recording()
/** The files that come from this page itself. Their days are made up, so no archive has them. */
const samples = new WeakSet<File>()

const send = startDecoder({
  ready() {
    input.disabled = false
    if (example) example.disabled = false
    status.textContent = ''
    enqueueEmbedded()
  },
  progress({ levels, fraction }) {
    recording.add(levels)
    showProgress(fraction)
  },
  example({ bytes }) {
    if (example) example.disabled = false
    enqueueSample(bytes, EXAMPLE_NAME)
  },
  decoded({ decoding }) {
    const shown = showDecoding(decoding, recording, samples.has(files[0] as File))
    if (decoding.error?.code === 'not_wav' && isWavOnly) {
      // Relative: the page is a sibling of this one.
      const link = element('a', { href: 'listen' }, 'The receiver')
      shown.push(element('p', {}, link, ' opens other formats: choose it again there.'))
    }
    const days = decoding.transmissions.map(({ fields }) => fields.day)
    finish(shown, days.join(', ') || 'nothing was decoded')
  },
  failed: fail,
  stopped() {
    status.textContent = 'The decoder stopped. Reload the page to start it again.'
    input.disabled = true
    if (example) example.disabled = true
    progress.hidden = true
    live.hidden = true
  },
})
status.textContent = 'Loading the decoder …'

example?.addEventListener('click', () => {
  if (example) example.disabled = true
  send({ kind: 'example' })
})
input.addEventListener('change', () => enqueue(input.files))
// Otherwise choosing the same file again would fire no event.
input.addEventListener('click', () => {
  input.value = ''
})
// Without these listeners a browser would open a file that is dropped next to the drop zone.
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => {
  event.preventDefault()
  drop.classList.remove('over')
  if (!input.disabled) enqueue(event.dataTransfer?.files)
})
drop.addEventListener('dragenter', () => drop.classList.add('over'))
drop.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!drop.contains(relatedTarget as Node | null)) drop.classList.remove('over')
})

function enqueue(chosen: Iterable<File> | null | undefined): void {
  const isIdle = files.length === 0
  files.push(...(chosen ?? []))
  if (isIdle) begin()
}

function enqueueSample(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const file = new File([bytes], name)
  samples.add(file)
  enqueue([file])
}

/** Decodes the recording embedded in the page, a test vector, if there is one. */
function enqueueEmbedded(): void {
  const embedded = document.querySelector<HTMLTemplateElement>('#embedded')
  if (!embedded) return
  const base64 = embedded.content.textContent ?? ''
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  embedded.remove()
  enqueueSample(bytes, embedded.dataset.name ?? '')
}

function begin(): void {
  const [file] = files
  progress.hidden = !file
  live.hidden = !file
  progress.value = 0
  recording = new Recording()
  if (!file) return
  say('Reading ', file.name, ' …')
  taskFor(file).then(send, fail)
}

/** Once the file is read, the progress bar becomes indeterminate: the search that follows reports no progress. */
function showProgress(fraction: number): void {
  progress.value = fraction
  if (recording.columns > 0) drawRecording(live, recording, fraction)
  if (fraction < 1) return
  progress.removeAttribute('value')
  say('Searching ', files[0]?.name ?? '', ' …')
}

function fail({ message }: { message: string }): void {
  finish(failure(message), 'could not be read')
}

/** Shows the result of a file above the earlier ones, and starts the next file. */
function finish(result: HTMLElement[], verdict: string): void {
  const name = files.shift()?.name ?? ''
  const heading = element('h2', {}, element('bdi', {}, name))
  const className = result.some((one) => one.matches('.failure')) ? 'failed' : ''
  const section = element('section', { className }, heading, ...result)
  results.prepend(section)
  say('', name, `: ${verdict}`)
  begin()
  section.scrollIntoView()
}

/** Isolates the file's name, which may contain characters that reorder the text around it. */
function say(before: string, fileName: string, after: string): void {
  status.replaceChildren(before, element('bdi', {}, fileName), after)
}
