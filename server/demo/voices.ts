// Who talks of what in the demo, in a few phrases that chance and the river's level fill in.

/** A number from 0 to 1, the same for the same seed. */
export type Chance = () => number

type Phrase = (context: { chance: Chance; level: number; at: string }) => string

/** Who talks of what, and how. */
export interface Voice {
  by: string
  directory: string
  phrases: readonly Phrase[]
}

export const pick = <T>(chance: Chance, items: readonly T[]): T =>
  items[Math.floor(chance() * items.length)] as T
export const between = (chance: Chance, low: number, high: number): number =>
  low + Math.floor(chance() * (high - low + 1))
const metres = (centimetres: number): string => `${(centimetres / 100).toFixed(2)} m`

/** How the river is told of, in a few words. */
const RIVER_PHRASES: readonly Phrase[] = [
  ({ level, at }) => `${metres(level)} at the footbridge at ${at}.`,
  ({ chance, level }) => `${metres(level)}. ${pick(chance, RIVER_REMARKS)}`,
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
      ({ chance, level }) =>
        `Molino viejo ${metres(level - between(chance, 2, 18))}, azud ${metres(level + between(chance, 0, 3))}.`,
    ],
  },
]

export const VOICES: readonly Voice[] = [
  ...RIVER,
  {
    by: 'Jonas',
    directory: 'river/gauges',
    phrases: [({ chance }) => `Battery of the weir gauge: ${between(chance, 61, 97)} %.`],
  },
  {
    by: '',
    directory: 'sky',
    phrases: [
      ({ chance }) => `Seeing ${between(chance, 1, 5)} of 5 tonight.`,
      ({ chance }) =>
        `${between(chance, 2, 19)} meteors in ${pick(chance, [20, 30, 45, 60])} minutes.`,
      () => 'Cloud from one horizon to the other.',
    ],
  },
  {
    by: '佐藤',
    directory: 'sky',
    phrases: [
      () => '雲が切れて、土星が見えました。',
      ({ chance }) => `流れ星、一時間に${between(chance, 3, 14)}個。`,
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
      ({ chance }) =>
        `${between(chance, 2, 40)} ${pick(chance, ['fieldfares', 'redwings', 'starlings', 'siskins'])} ${pick(chance, ['over the orchard', 'by the weir', 'on the wires'])}.`,
      ({ chance }) =>
        `First song today: ${pick(chance, ['robin', 'wren', 'dunnock'])}, 0${between(chance, 5, 7)}:${between(chance, 10, 59)}.`,
    ],
  },
  {
    by: 'Jonas',
    directory: 'birds',
    phrases: [
      ({ chance }) => `${pick(chance, ['Eisvogel', 'Wasseramsel'])} unter der Brücke.`,
      ({ chance }) => `${between(chance, 3, 30)} Kraniche nach Südwesten.`,
    ],
  },
  {
    by: 'Luiza',
    directory: 'allotments',
    phrases: [
      ({ chance }) =>
        `Canteiro ${between(chance, 1, 9)}: ${between(chance, 1, 6)} graus negativos.`,
      () => 'Quem tem a chave da bomba?',
    ],
  },
  {
    by: '',
    directory: 'allotments',
    phrases: [
      ({ chance }) =>
        `${pick(chance, ['Leeks', 'Kale', 'Parsnips', 'Quinces'])} to give away, ask at gate ${between(chance, 1, 4)}.`,
    ],
  },
]
