// Opens the microphone, or states why there is none; and opens a sound file in any format of the browser, in the page,
// because workers have no decoder of sound.
import { CAPTURE, type Task } from '../decode/report.ts'
import { LARGEST_MEBIBYTES } from './bounds.ts'

export interface Microphone {
  stream: MediaStream
  context: AudioContext
  node: AudioWorkletNode
}

/** Phones improve voices, and spoil tones: each browser leaves out what it can. */
export async function openMicrophone(): Promise<Microphone> {
  const audio = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio })
    .catch((error: DOMException) => {
      if (error.name !== 'OverconstrainedError') throw error
      return navigator.mediaDevices.getUserMedia({ audio: true })
    })
  // Larger buffers than for playing an instrument: fewer samples are lost while the device is busy.
  const context = new AudioContext({ latencyHint: 'playback' })
  await context.audioWorklet.addModule(new URL('./listen-worklet.js', import.meta.url))
  const node = new AudioWorkletNode(context, CAPTURE, {
    channelCount: 1,
    channelCountMode: 'explicit',
  })
  context.createMediaStreamSource(stream).connect(node)
  // Silent: a browser runs only what is connected to the speaker.
  node.connect(context.destination)
  await context.resume()
  return { stream, context, node }
}

const REASONS: Partial<Record<string, string>> = {
  NotAllowedError:
    'The microphone was refused. Allow it for this page in the settings of your browser, next to the address, and press Listen again.',
  NotFoundError: 'No microphone was found. Connect one and press Listen again.',
  NotReadableError:
    'The microphone is busy. Close the program or the tab that uses it, and press Listen again.',
}

export function whyNot(error: unknown): string {
  if (!navigator.mediaDevices?.getUserMedia || typeof AudioWorkletNode === 'undefined')
    return 'This browser gives this page no microphone. Use a current browser and an address that begins with https, or choose a recording below.'
  const { name, message } = error as Error
  return (
    REASONS[name] ??
    `The microphone could not be opened (${message}). Press Listen again, or choose a recording below.`
  )
}

/** The signal ends at 2.7 kHz. The samples take a quarter of the usual memory while they are searched [Hz]. */
const RATE = 12_000
const MEBIBYTE = 2 ** 20
/** How files that the WAV reader reads begin: in chunks, so that they may have any length. */
const WAV_TAGS = ['RIFF', 'RF64', 'RIFX']

/** @throws Error with a clause that states why the file cannot be opened */
export async function openSound(file: File): Promise<Task> {
  const tag = await file.slice(0, 4).text()
  if (WAV_TAGS.includes(tag) || file.size === 0) return { kind: 'decode', file }
  if (file.size > LARGEST_MEBIBYTES * MEBIBYTE) {
    const size = Math.ceil(file.size / MEBIBYTE)
    throw new Error(
      `the file has ${size} MiB, and only WAV files may have more than ${LARGEST_MEBIBYTES}: cut it, or convert it to WAV`,
    )
  }
  const sound = await new OfflineAudioContext(1, 1, RATE)
    .decodeAudioData(await file.arrayBuffer())
    .catch(() => {
      throw new Error('this browser cannot open it as sound')
    })
  const channels = Array.from({ length: Math.min(sound.numberOfChannels, 2) }, (_, i) =>
    sound.getChannelData(i),
  )
  return { kind: 'samples', rate: sound.sampleRate, channels }
}
