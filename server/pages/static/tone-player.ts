// Plays a transmission on the strip of its tones: a play button, the strip as a seek bar, the current tone highlighted.
import {
  BASE_BINS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  TONE_SPACING,
  TRANSMISSION_SECONDS,
} from '../../../protocol/constants.ts'
import { element } from './element.ts'

const SVG = 'http://www.w3.org/2000/svg'
const PLAY = 'M7 4l13 8-13 8z'
const PAUSE = 'M6 4h4v16h-4zM14 4h4v16h-4z'
const RAMP_S = RAMP_SAMPLES / SAMPLE_RATE
const SLOT_S = SYMBOL_SAMPLES / SAMPLE_RATE

/** The position of a tone in the strip [SVG units]. */
interface Mark {
  x: number
  y: number
}

/** Replaces the browser's own controls. */
export function enhancePlayer(player: HTMLElement): void {
  const audio = player.querySelector('audio')
  const strip = player.querySelector<SVGSVGElement>('.strip')
  if (!audio || !strip) return
  const marks = marksOf(strip)
  const currentTone = strip.appendChild(document.createElementNS(SVG, 'path'))
  currentTone.setAttribute('class', 'sounding')
  const range = element('input', { type: 'range', max: String(SLOTS - 1), value: '0' })
  range.setAttribute('aria-label', 'Position')
  const { button, show } = playButton(audio)
  // Not an output element: a live region would be read aloud at each tone.
  const position = element('span', { className: 'hint' })
  player.querySelector('.tones')?.append(range)
  player.querySelector('.controls')?.append(button, position)
  audio.controls = false

  let shown = -1
  const showSlot = () => {
    const slot = slotAt(audio.currentTime)
    if (slot === shown) return
    shown = slot
    const mark = marks[slot]
    const hertz = mark && Math.round(frequency(mark, strip))
    range.value = String(slot)
    range.setAttribute('aria-valuetext', spoken(audio.currentTime, slot, hertz))
    position.textContent = written(audio.currentTime, slot, hertz)
    currentTone.setAttribute('d', mark ? `M${mark.x} ${mark.y}h3` : '')
  }
  const follow = () => {
    showSlot()
    if (!audio.paused) requestAnimationFrame(follow)
  }
  range.addEventListener('input', () => {
    audio.currentTime = middleOf(Number(range.value))
    showSlot()
  })
  for (const event of ['play', 'pause', 'ended'])
    audio.addEventListener(event, () => {
      show()
      follow()
    })
  audio.addEventListener('error', () => {
    position.textContent = 'The sound cannot be played here.'
  })
  showSlot()
}

function playButton(audio: HTMLAudioElement) {
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  const shape = icon.appendChild(document.createElementNS(SVG, 'path'))
  const button = element('button', { type: 'button', className: 'play' }, icon)
  const show = () => {
    shape.setAttribute('d', audio.paused ? PLAY : PAUSE)
    button.setAttribute('aria-label', audio.paused ? 'Play the transmission' : 'Pause')
  }
  // The audio element's error event already reports a sound that cannot be played.
  button.addEventListener('click', () =>
    audio.paused ? audio.play().catch(() => {}) : audio.pause(),
  )
  show()
  return { button, show }
}

/**
 * The middle of a slot [s]. A loaded audio element rounds the time that it is set to, so the start of a slot could be
 * read back as the slot before.
 */
const middleOf = (slot: number): number => RAMP_S + (slot + 0.5) * SLOT_S

/** For the slider's value, `5 of 29 seconds, tone 45, 1191 hertz`. */
const spoken = (seconds: number, slot: number, hertz: number | undefined): string =>
  `${Math.floor(seconds)} of ${Math.floor(TRANSMISSION_SECONDS)} seconds, tone ${slot + 1}${hertz ? `, ${hertz} hertz` : ''}`

/** `0:05 of 0:29 · tone 45 of 273 · 1191 Hz` */
const written = (seconds: number, slot: number, hertz: number | undefined): string =>
  `${clockTime(seconds)} of ${clockTime(TRANSMISSION_SECONDS)} · tone ${slot + 1} of ${SLOTS}${hertz ? ` · ${hertz} Hz` : ''}`

/** Minutes and whole seconds, `0:05`. */
const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const slotAt = (seconds: number): number =>
  Math.min(SLOTS - 1, Math.max(0, Math.floor((seconds - RAMP_S) / SLOT_S)))

/** Reads the marks, in the order of the slots, from the paths of the strip. */
function marksOf(strip: SVGSVGElement): Mark[] {
  const data = [...strip.querySelectorAll('path')].map((path) => path.getAttribute('d')).join('')
  return [...data.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
}

/** The frequency of a mark [Hz]. The lowest row of the strip is the lowest tone of an even slot. */
const frequency = ({ y }: Mark, strip: SVGSVGElement): number =>
  (BASE_BINS[0] + strip.viewBox.baseVal.height - 1 - y) * TONE_SPACING
