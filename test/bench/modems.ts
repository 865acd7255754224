// The modems that the receiver is compared with, ggwave in its audible modes and minimodem, and our own.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeTones, modulate, readWav, writeWav } from '../../protocol/index.ts'
import { decodeWav } from '../../protocol/receiver/index.ts'
import { quantised, type Sound, soundOf } from '../support/channel.ts'

/** Sends bytes as sound at 48 kHz. */
export interface Modem {
  name: string
  send(bytes: Uint8Array): Sound
  /** The bytes as received, or null. */
  receive(sound: Sound): Uint8Array | null
}

export const ours: Modem = {
  name: 'Daysignal',
  send: (frame) => soundOf(modulate(encodeTones(frame))),
  receive: (sound) => decodeWav(writeWav(quantised(sound))).transmissions[0]?.frame ?? null,
}

/** The part of ggwave's module that is used here; the package has no types. */
interface Ggwave {
  ProtocolId: Record<string, unknown>
  SampleFormat: Record<string, unknown>
  disableLog(): void
  getDefaultParameters(): Record<string, unknown>
  init(parameters: Record<string, unknown>): number
  encode(instance: number, bytes: Uint8Array, protocol: unknown, volume: number): Int8Array
  decode(instance: number, samples: Int8Array): Int8Array | undefined
  free(instance: number): void
}

const VOLUME = 50

/** ggwave's three audible modes. */
export async function ggwaveModems(): Promise<Modem[]> {
  const load = createRequire(import.meta.url)('ggwave') as (options: {
    print: () => void
  }) => Promise<Ggwave>
  // Without this it prints a line for each transmission.
  const ggwave = await load({ print: () => {} })
  ggwave.disableLog()
  const format = ggwave.SampleFormat.GGWAVE_SAMPLE_FORMAT_I16
  const open = () =>
    ggwave.init({
      ...ggwave.getDefaultParameters(),
      sampleFormatInp: format,
      sampleFormatOut: format,
    })
  return ['NORMAL', 'FAST', 'FASTEST'].map((mode) => ({
    name: `ggwave ${mode.toLowerCase()}`,
    send: (bytes) => {
      const instance = open()
      const coded = ggwave.encode(
        instance,
        bytes,
        ggwave.ProtocolId[`GGWAVE_PROTOCOL_AUDIBLE_${mode}`],
        VOLUME,
      )
      const sound = soundOf(new Int16Array(coded.slice().buffer as ArrayBuffer))
      ggwave.free(instance)
      return sound
    },
    receive: (sound) => {
      const instance = open()
      const bytes = ggwave.decode(instance, new Int8Array(quantised(sound).buffer as ArrayBuffer))
      const received = bytes === undefined ? null : Uint8Array.from(bytes)
      ggwave.free(instance)
      return received
    },
  }))
}

/** Debian's minimodem at 300 baud (Bell 103). */
export function minimodem(program: string): Modem {
  const baud = '300'
  return {
    name: 'minimodem 300 baud',
    send: (bytes) =>
      inFolder((file) => {
        execFileSync(program, ['--tx', '-q', '-R', '48000', '-f', file, baud], { input: bytes })
        return Float32Array.from(readWav(readFileSync(file)).channels[0]!)
      }),
    receive: (sound) =>
      inFolder((file) => {
        writeFileSync(file, writeWav(quantised(sound)))
        return execFileSync(program, ['--rx', '-q', '-f', file, baud])
      }),
  }
}

function inFolder<T>(use: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'daysignal-modem-'))
  try {
    return use(join(folder, 'sound.wav'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
