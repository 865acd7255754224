// Receptions of a day that are too weak to be read alone: as soft values, and as sound.
import { SLOTS, TONES } from '../../protocol/constants.ts'
import { encodeTones } from '../../protocol/index.ts'
import { emptySlots } from '../../protocol/receiver/demodulate.ts'
import { toneOdds } from '../../protocol/receiver/weak.ts'
import { atSpeed, noisy, padded, type Sound } from './channel.ts'
import { random } from './random.ts'

/** Hears a frame at `energy` per slot [units of N0], in phase with the receiver. */
export function heardSoftly(frame: Uint8Array, energy: number, seed: number) {
  const { gaussian } = random(seed)
  const tones = emptySlots()
  tones.recorded.fill(1)
  for (let at = 0; at < SLOTS * TONES; at++) {
    tones.real[at] = gaussian() * Math.SQRT1_2
    tones.imag[at] = gaussian() * Math.SQRT1_2
  }
  for (const [slot, tone] of encodeTones(frame).entries()) {
    tones.real[slot * TONES + tone]! += Math.sqrt(energy)
  }
  return toneOdds(tones, energy, 0, 20)
}

/** Hears a transmission with a device of its own start and clock (+-60 ppm). */
export function heardBySome(sound: Sound, ebN0: number, seed: number): Sound {
  const { uniform } = random(seed)
  const clock = 1 + (2 * uniform() - 1) * 60e-6
  return noisy(atSpeed(padded(sound, uniform(), uniform()), clock), ebN0, seed)
}
