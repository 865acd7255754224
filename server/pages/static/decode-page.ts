// The decoder page: takes files, hands them to the worker one after the other, and shows what it finds.
// Everything it needs is loaded before it takes the first file; after that it makes no request.
import type { Decoding } from '../../../protocol/index.ts'
import { EXAMPLE_NAME } from './decode-example.ts'
import type { Report, Task } from './decode-report.ts'
import { failure, showDecoding } from './decode-results.ts'
import { drawRecording, Recording } from './decode-spectrogram.ts'
import { element } from './element.ts'

const input = find<HTMLInputElement>('file')
const drop = find('drop')
const status = find('status')
const progress = find<HTMLProgressElement>('progress')
const results = find('results')
const example = find<HTMLButtonElement>('example')
const live = find<HTMLCanvasElement>('live')

/** The worker has the first. */
const files: File[] = []
/** What has been heard of it. */
let recording = new Recording()

const worker = new Worker(new URL('./decode-worker.js', import.meta.url), { type: 'module' })
worker.addEventListener('message', ({ data }: MessageEvent<Report>) => receive(data))
worker.addEventListener('error', () => {
  status.textContent = 'The decoder stopped. Reload the page to start it again.'
  input.disabled = true
  example.disabled = true
})
status.textContent = 'Loading the decoder …'

example.addEventListener('click', () => {
  example.disabled = true
  ask({ kind: 'example' })
})
input.addEventListener('change', () => {
  take(input.files)
  // The same file may be chosen again.
  input.value = ''
})
// Without this a browser would open a file that is dropped elsewhere on the page.
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => {
  event.preventDefault()
  drop.classList.remove('over')
  if (!input.disabled) take(event.dataTransfer?.files)
})
drop.addEventListener('dragenter', () => drop.classList.add('over'))
drop.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!drop.contains(relatedTarget as Node | null)) drop.classList.remove('over')
})

function take(chosen: Iterable<File> | null | undefined): void {
  const isIdle = files.length === 0
  files.push(...(chosen ?? []))
  if (isIdle) begin()
}

/** The recording that came with the page, if one did. */
function takeBrought(): void {
  const brought = document.querySelector<HTMLTemplateElement>('#brought')
  if (!brought) return
  const base64 = brought.content.textContent ?? ''
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  brought.remove()
  take([new File([bytes], brought.dataset.name ?? '')])
}

function begin(): void {
  const [file] = files
  progress.hidden = !file
  live.hidden = !file
  progress.value = 0
  recording = new Recording()
  if (!file) return
  say('Reading ', file.name, ' …')
  ask({ kind: 'decode', file })
}

function ask(task: Task): void {
  worker.postMessage(task)
}

function receive(report: Report): void {
  switch (report.kind) {
    case 'ready':
      input.disabled = false
      example.disabled = false
      status.textContent = 'Ready.'
      takeBrought()
      return
    case 'progress':
      recording.add(report.levels)
      showProgress(report.fraction)
      return
    case 'example':
      example.disabled = false
      take([new File([report.bytes], EXAMPLE_NAME)])
      return
    case 'decoded':
      finish(showDecoding(report.decoding, recording), verdictOf(report.decoding))
      return
    case 'failed':
      finish(failure(report.message), 'could not be read')
  }
}

/** A recording that was read to its end has still to be searched: nothing tells how long that takes. */
function showProgress(fraction: number): void {
  progress.value = fraction
  if (recording.columns > 0) drawRecording(live, recording, fraction)
  if (fraction < 1) return
  progress.removeAttribute('value')
  say('Searching ', files[0]?.name ?? '', ' …')
}

/** Shows a file's result above the earlier ones, and goes on with the next file. */
function finish(result: HTMLElement[], verdict: string): void {
  const name = files.shift()?.name ?? ''
  const heading = element('h2', {}, element('bdi', {}, name))
  const className = result.some((one) => one.matches('.failure')) ? 'failed' : ''
  results.prepend(element('section', { className }, heading, ...result))
  say('', name, `: ${verdict}`)
  begin()
}

/** The days that were decoded, or that there was none. */
const verdictOf = ({ transmissions }: Decoding): string =>
  transmissions.map(({ fields }) => fields.day).join(', ') || 'nothing was decoded'

/** A file's name may contain characters that turn the text around it: isolate it. */
function say(before: string, fileName: string, after: string): void {
  status.replaceChildren(before, element('bdi', {}, fileName), after)
}

function find<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}
