// The people of the demo: what each writes about, as phrases filled in at random and with the river's level.

/** A random number generator: at least 0, below 1. */
export type Random = () => number

type Phrase = (context: { random: Random; level: number; at: string }) => string

export interface Voice {
  by: string
  directory: string
  phrases: readonly Phrase[]
}

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1))
const metres = (centimetres: number): string => `${(centimetres / 100).toFixed(2)} m`

const RIVER_PHRASES: readonly Phrase[] = [
  ({ level, at }) => `${metres(level)} at the footbridge at ${at}.`,
  ({ random, level }) => `${metres(level)}. ${pick(random, RIVER_REMARKS)}`,
  ({ level }) =>
    level > 130
      ? `${metres(level)}, and the meadow path is under water.`
      : `${metres(level)}. The path is dry.`,
]
const RIVER_REMARKS = [
  'Clear.',
  'Brown and fast.',
  'Leaves on it.',
  'A skin of ice at the edge.',
  'Two herons.',
  'Nobody about.',
]

export const RIVER: readonly Voice[] = [
  { by: 'mill lane', directory: 'river', phrases: RIVER_PHRASES },
  { by: '', directory: 'river', phrases: RIVER_PHRASES },
  {
    by: 'Inés',
    directory: 'river',
    phrases: [
      ({ level }) => `Tercer pilar: ${Math.max(190 - level, 2)} cm por encima del agua.`,
      ({ level }) => `${metres(level)} en la pasarela.`,
    ],
  },
  {
    by: 'Inés',
    directory: 'river/gauges',
    phrases: [
      ({ random, level }) =>
        `Molino viejo ${metres(level - between(random, 2, 18))}, azud ${metres(level + between(random, 0, 3))}.`,
    ],
  },
]

export const VOICES: readonly Voice[] = [
  ...RIVER,
  {
    by: 'Jonas',
    directory: 'river/gauges',
    phrases: [({ random }) => `Battery of the weir gauge: ${between(random, 61, 97)} %.`],
  },
  {
    by: '',
    directory: 'sky',
    phrases: [
      ({ random }) => `Seeing ${between(random, 1, 5)} of 5 tonight.`,
      ({ random }) =>
        `${between(random, 2, 19)} meteors in ${pick(random, [20, 30, 45, 60])} minutes.`,
      () => 'Cloud from one horizon to the other.',
    ],
  },
  {
    by: '佐藤',
    directory: 'sky',
    phrases: [
      () => '雲が切れて、土星が見えました。',
      ({ random }) => `流れ星、一時間に${between(random, 3, 14)}個。`,
    ],
  },
  {
    by: 'रवि',
    directory: 'sky',
    phrases: [() => 'आज चाँद के चारों ओर घेरा है।', () => 'बृहस्पति अब आधी रात से पहले दिखता है।'],
  },
  {
    by: 'Amira',
    directory: 'birds',
    phrases: [
      ({ random }) =>
        `${between(random, 2, 40)} ${pick(random, ['fieldfares', 'redwings', 'starlings', 'siskins'])} ${pick(random, ['over the orchard', 'by the weir', 'on the wires'])}.`,
      ({ random }) =>
        `First song today: ${pick(random, ['robin', 'wren', 'dunnock'])}, 0${between(random, 5, 7)}:${between(random, 10, 59)}.`,
    ],
  },
  {
    by: 'Jonas',
    directory: 'birds',
    phrases: [
      ({ random }) => `${pick(random, ['Eisvogel', 'Wasseramsel'])} unter der Brücke.`,
      ({ random }) => `${between(random, 3, 30)} Kraniche nach Südwesten.`,
    ],
  },
  {
    by: 'Luiza',
    directory: 'allotments',
    phrases: [
      ({ random }) =>
        `Canteiro ${between(random, 1, 9)}: ${between(random, 1, 6)} graus negativos.`,
      () => 'Quem tem a chave da bomba?',
    ],
  },
  {
    by: '',
    directory: 'allotments',
    phrases: [
      ({ random }) =>
        `${pick(random, ['Leeks', 'Kale', 'Parsnips', 'Quinces'])} to give away, ask at gate ${between(random, 1, 4)}.`,
    ],
  },
]
