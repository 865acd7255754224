// Plays a transmission on the strip of its tones: a play button and a volume, the strip as a seek bar, the tones lighting
// up as they are played, the sounding one large, and the chord dark until the day can be read.
import {
  BASE_BINS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  TONE_SPACING,
  TRANSMISSION_SECONDS,
} from '../../../../protocol/constants.ts'
import { element, svg } from '../element.ts'

const PLAY = 'M7 4l13 8-13 8z'
const PAUSE = 'M6 4h4v16h-4zM14 4h4v16h-4z'
const RAMP_S = RAMP_SAMPLES / SAMPLE_RATE
const SLOT_S = SYMBOL_SAMPLES / SAMPLE_RATE
/** The tones are as loud as the format allows, louder than what people usually listen to. */
export const FIRST_VOLUME = 1 / 3

/** Replaces the browser's own controls. */
export function enhancePlayer(player: HTMLElement): void {
  const audio = player.querySelector('audio')
  const strip = player.querySelector<SVGSVGElement>('.strip')
  const controls = player.querySelector('.controls')
  if (!audio || !strip || !controls) return
  // Before the tones are drawn as played or not.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.hear'))
    hearing(link, audio, player)
  const show = display(player, strip, audio)
  const range = element('input', { type: 'range', max: String(SLOTS - 1), value: '0' })
  range.setAttribute('aria-label', 'Position')
  // Not output elements: a live region would be read aloud at each tone.
  const position = element('span', { className: 'figures' })
  player.querySelector('.tones')?.append(range)
  controls.append(playButton(audio), position, volumeOf(audio))
  audio.controls = false

  let shown = -1
  const showSlot = () => {
    const slot = slotAt(audio.currentTime)
    if (slot === shown) return
    shown = slot
    const hertz = show(slot)
    range.value = String(slot)
    range.setAttribute('aria-valuetext', spoken(audio.currentTime, slot, hertz))
    position.textContent = written(audio.currentTime)
  }
  const follow = () => {
    showSlot()
    if (!audio.paused) requestAnimationFrame(follow)
  }
  range.addEventListener('input', () => {
    audio.currentTime = middleOf(Number(range.value))
    showSlot()
  })
  for (const event of ['play', 'pause', 'ended']) audio.addEventListener(event, follow)
  audio.addEventListener('seeked', showSlot)
  audio.addEventListener('error', () => {
    position.textContent = 'The sound cannot be played here.'
    audio.pause()
    location.hash = 'sound'
  })
  showSlot()
}

/** A link to the sound plays and pauses it. While the tones are not in sight, a bar shows them small. */
function hearing(link: HTMLAnchorElement, audio: HTMLAudioElement, player: HTMLElement): void {
  const name = link.textContent
  const small = player.querySelector('.strip')?.cloneNode(true) as SVGSVGElement
  const read = player.querySelector<HTMLElement>('.read')
  const time = element('span', { className: 'figures' })
  const leading = element('a', { href: link.href })
  const closing = element('button', { type: 'button', ariaLabel: 'Stop' }, '×')
  const parts = [small, playButton(audio), time, leading, closing]
  const bar = element('section', { className: 'night playing-bar', ariaLabel: 'Player' }, ...parts)
  const showPlayed = revealing(small, small.querySelectorAll('path'))
  let [isSeen, isDone] = [true, false]
  const show = () => {
    link.classList.toggle('playing', !audio.paused)
    link.textContent = audio.paused ? name : 'Pause'
    showPlayed(audio.currentTime / TRANSMISSION_SECONDS, 'left')
    time.textContent = clockTime(audio.currentTime)
    leading.textContent = (!read?.hidden && read?.firstElementChild?.textContent) || 'See the tones'
    // Once the end was seen, nothing is left to tell.
    isDone = audio.ended && (isDone || isSeen)
    bar.hidden = isSeen || isDone || audio.currentTime === 0
  }
  const watch = new IntersectionObserver((places) => {
    isSeen = places.at(-1)?.isIntersecting ?? false
    show()
  })
  watch.observe(player.querySelector('.tones') as HTMLElement)
  closing.addEventListener('click', () => {
    audio.pause()
    audio.currentTime = 0
    link.focus({ preventScroll: true })
  })
  for (const event of ['play', 'pause', 'ended', 'timeupdate']) audio.addEventListener(event, show)
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    player.querySelector<HTMLElement>('.play')?.click()
  })
  // Nothing next to it moves when its words change.
  link.style.minWidth = `${link.offsetWidth}px`
  show()
  document.body.append(bar)
}

/**
 * Prepares the drawings.
 * @returns a function that shows a slot, and returns the frequency of its tone [Hz], if it is known
 */
function display(player: HTMLElement, strip: SVGSVGElement, audio: HTMLAudioElement) {
  const marks = marksOf(strip)
  const showPlayed = revealing(strip, strip.querySelectorAll('path'))
  const tone = strip.appendChild(svg('path', { class: 'sounding' }))
  const readable = Number(player.dataset.readable)
  const showChord = chordOf(player)
  const read = player.querySelector<HTMLElement>('.read')
  let wasLit = true
  return (slot: number): number | undefined => {
    const mark = marks[slot]
    const isAtRest = audio.paused && slot === 0
    showPlayed(isAtRest ? 1 : (slot + 1) / SLOTS, 'left')
    const isLit = isAtRest || slot + 1 >= readable
    if (isLit !== wasLit) showChord?.(isLit)
    if (read) read.hidden = isAtRest || !isLit
    player.classList.toggle('unread', !isLit)
    wasLit = isLit
    tone.setAttribute('d', mark && !isAtRest ? `M${mark.x} ${mark.y}h3` : '')
    return mark && Math.round(frequency(mark, strip))
  }
}

/** How long the chord takes to rise once the day can be read [ms]. */
const RISE_MS = 500

/** Returns a function that shows or hides the lit blocks of the day's chord; undefined if the page has none. */
function chordOf(player: HTMLElement) {
  const chord = document.getElementById(player.dataset.chord ?? '')
  const lit = chord?.querySelector<SVGGElement>('.lit')
  if (!lit) return undefined
  const showBlocks = revealing(lit.ownerSVGElement as SVGSVGElement, [lit])
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  let frame = 0
  return (isLit: boolean): void => {
    cancelAnimationFrame(frame)
    showBlocks(isLit && isStill ? 1 : 0, 'bottom')
    if (!isLit || isStill) return
    let begun: number | undefined
    const rise = (now: number) => {
      begun ??= now
      const part = Math.min(1, (now - begun) / RISE_MS)
      showBlocks(part, 'bottom')
      if (part < 1) frame = requestAnimationFrame(rise)
    }
    frame = requestAnimationFrame(rise)
  }
}

function playButton(audio: HTMLAudioElement): HTMLButtonElement {
  const shape = svg('path')
  const icon = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, shape)
  const button = element('button', { type: 'button', className: 'play' }, icon)
  const show = () => {
    shape.setAttribute('d', audio.paused ? PLAY : PAUSE)
    button.setAttribute('aria-label', audio.paused ? 'Play the transmission' : 'Pause')
  }
  for (const event of ['play', 'pause', 'ended']) audio.addEventListener(event, show)
  // The audio element's error event already reports a sound that cannot be played.
  button.addEventListener('click', () =>
    audio.paused ? audio.play().catch(() => {}) : audio.pause(),
  )
  show()
  return button
}

function volumeOf(audio: HTMLAudioElement): HTMLLabelElement {
  audio.volume = FIRST_VOLUME
  const range = element('input', { type: 'range', max: '1', step: '0.01' })
  range.value = String(FIRST_VOLUME)
  range.addEventListener('input', () => {
    audio.volume = Number(range.value)
  })
  return element('label', { className: 'volume' }, 'Volume ', range)
}

/**
 * The middle of a slot [s]. A loaded audio element rounds the time that it is set to, so the start of a slot could be
 * read back as the slot before.
 */
const middleOf = (slot: number): number => RAMP_S + (slot + 0.5) * SLOT_S

/** For the slider's value, `5 of 29 seconds, tone 45, 1191 hertz`. */
const spoken = (seconds: number, slot: number, hertz: number | undefined): string =>
  `${Math.floor(seconds)} of ${Math.floor(TRANSMISSION_SECONDS)} seconds, tone ${slot + 1}${hertz ? `, ${hertz} hertz` : ''}`

/** `0:05 of 0:29`, in one width: nothing next to it moves. */
const written = (seconds: number): string =>
  `${clockTime(seconds)} of ${clockTime(TRANSMISSION_SECONDS)}`

/** Minutes and whole seconds, `0:05`. */
const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const slotAt = (seconds: number): number =>
  Math.min(SLOTS - 1, Math.max(0, Math.floor((seconds - RAMP_S) / SLOT_S)))

/** Reads the positions of the tones [SVG units], in the order of the slots, from the path of the strip. */
function marksOf(strip: SVGSVGElement): { x: number; y: number }[] {
  const data = strip.querySelector('path')?.getAttribute('d') ?? ''
  return [...data.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
}

/** The frequency of a mark [Hz]. The lowest row of the strip is the lowest tone of an even slot. */
const frequency = ({ y }: { y: number }, strip: SVGSVGElement): number =>
  (BASE_BINS[0] + strip.viewBox.baseVal.height - 1 - y) * TONE_SPACING

let clips = 0

/**
 * Shows a part of a drawing bright and the rest of it dim, by a copy that is clipped. One attribute changes at a time.
 * @param found parts of the drawing that are siblings; they become dim, and their copy bright
 * @returns a function that makes a part bright, from 0 to 1, from one side on
 */
function revealing(drawing: SVGSVGElement, found: Iterable<SVGGraphicsElement>) {
  const parts = [...found]
  const { width, height } = drawing.viewBox.baseVal
  // Wider than the drawing, so that marks on its edge stay whole.
  const rectangle = svg('rect', { y: String(-height), height: String(3 * height) })
  const id = `reveal-${clips++}`
  const copies = parts.map((part) => part.cloneNode(true) as SVGElement)
  for (const part of parts) part.classList.add('dim')
  drawing.append(
    svg('clipPath', { id }, rectangle),
    svg('g', { 'clip-path': `url(#${id})` }, ...copies),
  )
  const show = (part: number, from: 'left' | 'bottom'): void => {
    rectangle.setAttribute('width', String(from === 'left' ? part * width : width))
    if (from === 'bottom') rectangle.setAttribute('y', String((1 - part) * height))
  }
  show(1, 'left')
  return show
}
