// The people of the demo: what each writes about, as texts whose blanks are filled in at random and with the river's level.

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

const RIVER_PHRASES = [
  '{level} at the footbridge at {at}.',
  '{level}. {Clear|Brown and fast|Leaves on it|A skin of ice at the edge|Two herons|Nobody about}.',
  '{level}{path}',
]

const voice = (by: string, directory: string, ...phrases: string[]) => ({ by, directory, phrases })

export const RIVER: readonly Voice[] = [
  voice('mill lane', 'river', ...RIVER_PHRASES),
  voice('', 'river', ...RIVER_PHRASES),
  voice('Inés', 'river', 'Tercer pilar: {pillar} por encima del agua.', '{level} en la pasarela.'),
  voice('Inés', 'river/gauges', 'Molino viejo {mill}, azud {weir}.'),
]

export const VOICES: readonly Voice[] = [
  ...RIVER,
  voice('Jonas', 'river/gauges', 'Battery of the weir gauge: {61-97} %.'),
  voice(
    '',
    'sky',
    'Seeing {1-5} of 5 tonight.',
    '{2-19} meteors in {20|30|45|60} minutes.',
    'Cloud from one horizon to the other.',
  ),
  voice('佐藤', 'sky', '雲が切れて、土星が見えました。', '流れ星、一時間に{3-14}個。'),
  voice('रवि', 'sky', 'आज चाँद के चारों ओर घेरा है।', 'बृहस्पति अब आधी रात से पहले दिखता है।'),
  voice(
    'Amira',
    'birds',
    '{2-40} {fieldfares|redwings|starlings|siskins} {over the orchard|by the weir|on the wires}.',
    'First song today: {robin|wren|dunnock}, 0{5-7}:{10-59}.',
  ),
  voice(
    'Jonas',
    'birds',
    '{Eisvogel|Wasseramsel} unter der Brücke.',
    '{3-30} Kraniche nach Südwesten.',
  ),
  voice(
    'Luiza',
    'allotments',
    'Canteiro {1-9}: {1-6} graus negativos.',
    'Quem tem a chave da bomba?',
  ),
  voice('', 'allotments', '{Leeks|Kale|Parsnips|Quinces} to give away, ask at gate {1-4}.'),
]
