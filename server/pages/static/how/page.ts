// Runs the last picture of /how-it-works: adds noise to a day's tones, plays them, and decodes what is heard.
import { AMPLITUDE, modulate, SAMPLE_RATE } from '../../../../protocol/index.ts'
import { normal } from '../decode/example.ts'
import { startDecoder } from '../decode/report.ts'
import { showDecoding } from '../decode/results.ts'
import { Recording } from '../decode/spectrogram.ts'
import { find } from '../element.ts'

/** How loud the sum is played [fraction of full scale]. */
const PEAK = 0.25
/** The band of a voice, in which noise and tones are compared [Hz]. */
const VOICE_HZ = 2_500

const place = find('noise')
const amount = find<HTMLInputElement>('amount')
const ratio = find('ratio')
const play = find<HTMLButtonElement>('play')
const read = find<HTMLButtonElement>('read')
const status = find('status')
const result = find('result')

let tones: Float32Array | undefined
let playing: AudioBufferSourceNode | undefined
let context: AudioContext | undefined
let recording = new Recording()

const send = startDecoder({
  ready() {
    for (const control of [amount, play, read]) control.disabled = false
  },
  progress: ({ levels }) => recording.add(levels),
  decoded({ decoding }) {
    read.disabled = false
    const [found] = decoding.transmissions
    status.textContent = found
      ? `Read: ${found.fields.day}.`
      : 'This was too much noise: no day can be read from it, and none is made up.'
    result.replaceChildren(...(found ? showDecoding(decoding, recording, true) : []))
  },
  stopped() {
    status.textContent = 'The decoder stopped. Reload the page to start it again.'
  },
})
amount.addEventListener('input', describe)
amount.addEventListener('change', stop)
play.addEventListener('click', () => (playing ? stop() : start()))
read.addEventListener('click', decode)
describe()

/** The power of the noise over that of the tones, in the band of a voice; 0 for none. */
function noiseRatio(): number {
  const decibels = Number(amount.value)
  return decibels < 0 ? 0 : 10 ** (decibels / 10)
}

function describe(): void {
  const times = noiseRatio()
  const shown = times < 10 ? times.toFixed(1) : String(Math.round(times))
  const text = times === 0 ? 'none' : `about ${shown} times as strong as the tones`
  ratio.textContent = text
  amount.setAttribute('aria-valuetext', text)
}

/** The day's tones in the chosen noise [samples at 48 kHz]. */
function heard(): Float32Array<ArrayBuffer> {
  tones ??= Float32Array.from(
    modulate(Uint8Array.from((place.dataset.tones ?? '').split(' '), Number)),
    (sample) => sample / 0x7fff,
  )
  // White noise fills the band from 0 to half the sample rate.
  const power = (noiseRatio() * AMPLITUDE ** 2) / 2
  const deviation = Math.sqrt((power * SAMPLE_RATE) / 2 / VOICE_HZ)
  const random = normal(1)
  return Float32Array.from(tones, (sample) => sample + deviation * random())
}

function start(): void {
  context ??= new AudioContext()
  const samples = heard()
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  const buffer = context.createBuffer(1, samples.length, SAMPLE_RATE)
  buffer.copyToChannel(
    samples.map((sample) => (sample * PEAK) / loudest),
    0,
  )
  playing = new AudioBufferSourceNode(context, { buffer })
  playing.connect(context.destination)
  playing.addEventListener('ended', stop)
  playing.start()
  play.textContent = 'Stop'
}

function stop(): void {
  playing?.removeEventListener('ended', stop)
  playing?.stop()
  playing = undefined
  play.textContent = 'Play'
}

function decode(): void {
  read.disabled = true
  recording = new Recording()
  status.textContent = 'Reading …'
  send({ kind: 'samples', rate: SAMPLE_RATE, channels: [heard()] })
}
