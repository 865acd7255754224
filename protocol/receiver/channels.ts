// Which mixture of a recording's channels to listen to: the mix, then each channel alone (SPEC.md 9.1).
import type { Signal } from './baseband.ts'

/** Channels that differ by less than this part of their power are the same. */
const SAME = 1e-4
/** A channel weaker than this part of the strongest holds nothing. */
const FAINT = 1e-8

/** The signals worth listening to, in the order in which to try them. */
export function mixtures(channels: readonly Signal[]): Signal[] {
  const powers = channels.map(powerOf)
  const strongest = Math.max(...powers)
  const sounding = channels.filter((_, i) => powers[i]! > strongest * FAINT)
  if (sounding.length <= 1) return sounding
  const mix = mixed(sounding)
  const first = sounding[0]!
  const alike = sounding.every((channel) => differenceOf(channel, first) < SAME * strongest)
  if (alike) return [mix]
  return powerOf(mix) > strongest * FAINT ? [mix, ...sounding] : sounding
}

function mixed(channels: readonly Signal[]): Signal {
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
