// The people of the demo: what each writes about, as texts whose blanks are filled in at random and with the river's level.
import texts from './voices.json' with { type: 'json' }

/** A random number generator: at least 0, below 1. */
export type Random = () => number

export interface Voice {
  by: string
  directory: string
  /** With blanks as `fill` takes them. */
  phrases: readonly string[]
}

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1))
const metres = (centimetres: number): string => `${(centimetres / 100).toFixed(2)} m`

interface Scene {
  random: Random
  /** [cm] */
  level: number
  at: string
}

const RIVER_BLANKS: Readonly<Record<string, (scene: Scene) => string>> = {
  at: ({ at }) => at,
  level: ({ level }) => metres(level),
  path: ({ level }) =>
    level > 130 ? ', and the meadow path is under water.' : '. The path is dry.',
  pillar: ({ level }) => `${Math.max(190 - level, 2)} cm`,
  mill: ({ random, level }) => metres(level - between(random, 2, 18)),
  weir: ({ random, level }) => metres(level + between(random, 0, 3)),
}

/** Fills in the blanks of a phrase: `{level}` and the like, a number as `{2-40}`, one of several words as `{robin|wren}`. */
export const fill = (phrase: string, scene: Scene): string =>
  phrase.replaceAll(/\{(.+?)\}/g, (_, blank: string) => {
    const [, low, high] = /^([0-9]+)-([0-9]+)$/.exec(blank) ?? []
    if (low && high) return String(between(scene.random, Number(low), Number(high)))
    return RIVER_BLANKS[blank]?.(scene) ?? pick(scene.random, blank.split('|'))
  })

/** Those who write of the river, and all. */
export const RIVER: readonly Voice[] = texts.river
export const VOICES: readonly Voice[] = [...RIVER, ...texts.others]
