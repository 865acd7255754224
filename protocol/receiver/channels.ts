// Chooses which mixes of a recording's channels to search: their mean, then each channel alone (SPEC.md 9.1).
import type { Signal } from './baseband.ts'

/** Channels whose difference has less than this fraction of their power are considered equal. */
const MAX_DIFFERENCE = 1e-4
/** A channel with less than this fraction of the strongest channel's power is considered silent. */
const MIN_POWER = 1e-8

/** Returns the signals to search, in order. */
export function channelMixes(channels: readonly Signal[]): Signal[] {
  const powers = channels.map(powerOf)
  const strongest = Math.max(...powers)
  const audible = channels.filter((_, i) => powers[i]! > strongest * MIN_POWER)
  if (audible.length <= 1) return audible
  const mean = meanOf(audible)
  const first = audible[0]!
  const areEqual = audible.every(
    (channel) => differenceOf(channel, first) < MAX_DIFFERENCE * strongest,
  )
  if (areEqual) return [mean]
  return powerOf(mean) > strongest * MIN_POWER ? [mean, ...audible] : audible
}

function meanOf(channels: readonly Signal[]): Signal {
  const { length, start } = channels[0]!
  const real = new Float32Array(length)
  const imag = new Float32Array(length)
  for (const channel of channels) {
    for (let i = 0; i < length; i++) {
      real[i]! += channel.real[i]! / channels.length
      imag[i]! += channel.imag[i]! / channels.length
    }
  }
  return { real, imag, length, start }
}

function powerOf({ real, imag, length }: Signal): number {
  let power = 0
  for (let i = 0; i < length; i++) power += real[i]! ** 2 + imag[i]! ** 2
  return power
}

function differenceOf(a: Signal, b: Signal): number {
  let power = 0
  for (let i = 0; i < a.length; i++) {
    power += (a.real[i]! - b.real[i]!) ** 2 + (a.imag[i]! - b.imag[i]!) ** 2
  }
  return power
}
