// Lossy codecs of the simulated channel: mu-law on a telephone line, and those of ffmpeg.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWav } from '../../protocol/wav/write.ts'
import { wavFile } from '../protocol/wav/files.ts'
import { quantised, type Sound } from './channel.ts'
import { telephoneBand } from './filters.ts'
import { temporaryFolder } from './release.ts'

/** Returns a WAV file of the sound after a telephone call: 300 to 3400 Hz, 8 kHz, mu-law. */
export function overTelephone(sound: Sound): Uint8Array {
  const codes = Uint8Array.from(quantised(telephoneBand(sound)), muLawCode)
  return wavFile({ tag: 7, bits: 8, sampleRate: 8000, sound: codes })
}

const BIAS = 132
const LARGEST = 32_635

/** Encodes ITU-T G.711 mu-law: a 16-bit sample as the nearest 8-bit code. */
function muLawCode(sample: number): number {
  const biased = Math.min(Math.abs(sample), LARGEST) + BIAS
  const segment = Math.floor(Math.log2(biased)) - 7
  const mantissa = (biased >> (segment + 3)) & 15
  const sign = sample < 0 ? 0x80 : 0
  return ~(sign | (segment << 4) | mantissa) & 0xff
}

/** For each codec, the extension of its files and the arguments of ffmpeg that encode it. */
export const CODECS = {
  'mp3 32k': { extension: 'mp3', args: ['-c:a', 'libmp3lame', '-b:a', '32k'] },
  'aac 32k': { extension: 'm4a', args: ['-c:a', 'aac', '-b:a', '32k'] },
  'opus 6k': { extension: 'opus', args: ['-c:a', 'libopus', '-b:a', '6k'] },
  'opus 12k': { extension: 'opus', args: ['-c:a', 'libopus', '-b:a', '12k'] },
  'GSM 06.10': { extension: 'gsm', args: ['-c:a', 'libgsm', '-ar', '8000'] },
} as const

export type Codec = keyof typeof CODECS

/** Encodes and decodes the sound, and returns the result as a WAV file. */
export function throughCodec(sound: Sound, codec: Codec, ffmpeg: string): Uint8Array {
  const { extension, args } = CODECS[codec]
  const folder = temporaryFolder()
  const [plain, coded, decoded] = ['in.wav', `coded.${extension}`, 'out.wav'].map((name) =>
    join(folder, name),
  )
  try {
    writeFileSync(plain!, writeWav(quantised(sound)))
    execFileSync(ffmpeg, ['-v', 'error', '-i', plain!, ...args, coded!])
    execFileSync(ffmpeg, ['-v', 'error', '-i', coded!, '-c:a', 'pcm_s16le', decoded!])
    return readFileSync(decoded!)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
