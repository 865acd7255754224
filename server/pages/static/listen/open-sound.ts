// Opens a sound file in any format of the browser, in the page, because workers have no decoder of sound.
import type { Task } from '../decode/report.ts'
import { LARGEST_MEBIBYTES } from './bounds.ts'

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
