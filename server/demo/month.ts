// Generates the demo's thirty days: daily chatter, one investigation, and the fully scripted last week.
import type { Activity, DemoDay } from './activity.ts'
import { between, pick, type Random, RIVER, VOICES } from './voices.ts'
import { DEMO_WEEK } from './week.ts'

/** Generated messages of each day, uneven as in real life, in addition to the scripted ones. The flood is on day 11. */
const MESSAGES = [
  ...[4, 6, 2, 9, 13, 5, 1, 7, 8, 21, 64, 38, 12, 5, 0],
  ...[3, 8, 2, 17, 10, 4, 6, 1, 11, 26, 7, 0, 3, 5, 14],
] as const

/** Generated messages of today. */
const MESSAGES_TODAY = 12

/** Water level at the footbridge at noon of each day, including today [cm]. */
const LEVELS = [
  ...[96, 95, 94, 98, 103, 101, 99, 97, 104, 131, 187, 163, 141, 126, 118],
  ...[113, 109, 106, 112, 110, 107, 105, 103, 108, 116, 121, 119, 109, 106, 103, 101],
] as const

const OPENING: Activity[] = [
  { at: '06:40', by: 'mill lane', directory: 'river' },
  { at: '06:41', by: 'mill lane', directory: 'river/gauges' },
  { at: '06:55', by: 'mill lane', directory: 'sky' },
  { at: '07:02', by: 'Amira', directory: 'birds' },
  { at: '07:20', by: 'Luiza', directory: 'allotments' },
]

/** Scripted activities by number of the day. */
const EVENTS: Record<number, Activity[]> = {
  5: [
    {
      at: '09:05',
      by: 'Luiza',
      name: 'lag',
      ask: 'river',
      title: 'How long after the rain does the river rise?',
      body: 'The allotments by the weir flood before anyone looks at the gauge. How many hours are there between the rain in the hills and the water at the footbridge?',
      sources: [{ url: 'https://example.org/rain/hills', note: 'hourly rain, three stations' }],
    },
    {
      at: '19:30',
      by: 'mill lane',
      name: 'lag-one',
      add: 'lag',
      kind: 'observation',
      body: 'Rain from 06:00 to 09:00 at the upper station, 11 mm. First rise at the footbridge at 14:20.',
    },
  ],
  11: [
    {
      at: '05:50',
      by: 'mill lane',
      name: 'lag-flood',
      add: 'lag',
      kind: 'observation',
      body: 'Rain began in the hills at 21:10, the rise at the footbridge at 02:45. Five and a half hours, at 34 mm.',
      links: [{ to: 'lag-one', relation: 'extends' }],
    },
    {
      at: '11:15',
      by: 'Jonas',
      name: 'lag-attempt',
      add: 'lag',
      kind: 'attempt',
      body: 'Put a float with a bell at the second step. It rang 40 minutes before the water reached the path.',
    },
  ],
  13: [
    {
      at: '17:40',
      by: 'Luiza',
      name: 'lag-result',
      add: 'lag',
      kind: 'result',
      body: 'Six rises this month: 5 h 10 min to 8 h 20 min, shorter when the ground is wet.',
      links: [{ to: 'lag-flood', relation: 'supports' }],
      sources: [{ url: 'https://example.org/tables/lag', note: 'all six, with the rain before' }],
    },
  ],
  16: [
    {
      at: '10:30',
      review: 'lag-result',
      outcome: 'substantiated',
      reason: 'The six rises are published with their rain, and the times follow from them.',
      note: 'Recomputed three of the six from the published series.',
    },
  ],
  19: [
    {
      at: '20:10',
      by: 'Amira',
      name: 'lag-bell',
      add: 'lag',
      kind: 'reuse',
      body: 'Hung the same bell at the heron pool, to know when the nests get wet.',
      links: [{ to: 'lag-attempt', relation: 'reuses' }],
    },
  ],
  21: [
    {
      at: '08:20',
      by: 'Jonas',
      add: 'lag',
      kind: 'correction',
      body: 'The table has the rise of day four twice: five rises, not six. The range stays.',
      links: [{ to: 'lag-result', relation: 'corrects' }],
    },
  ],
}

const TODAY: Activity[] = [
  {
    at: '00:25',
    by: 'Luiza',
    add: 'aurora',
    kind: 'observation',
    body: 'Again, 00:05 to 00:20, direction 352°. The lamps of the greenhouse were off: I went and looked.',
    sources: [{ url: 'https://example.org/photos/aurora-0012' }],
  },
  { at: '06:50', by: 'mill lane', say: 'river', body: '1.01 m. Thin ice under the willows.' },
]

const OUTAGES: Record<number, DemoDay['outage']> = { 12: { from: '03:20', to: '04:05' } }

/** Returns the month, oldest day first; the last one is yesterday. It is the same every time. */
export function demoMonth(): DemoDay[] {
  return MESSAGES.map((messages, i) => {
    const number = i + 1
    const scripted = DEMO_WEEK[number - 1 - (MESSAGES.length - DEMO_WEEK.length)]
    const activities = [
      ...(number === 1 ? OPENING : []),
      ...chatterOf(number, messages),
      ...(EVENTS[number] ?? []),
      ...(scripted?.activities ?? []),
    ]
    const outage = scripted?.outage ?? OUTAGES[number]
    return { activities: activities.sort(byTime), ...(outage && { outage }) }
  })
}

/** Returns the activities of the day after the month. */
export function demoToday(): Activity[] {
  return [...TODAY, ...chatterOf(MESSAGES.length + 1, MESSAGES_TODAY)].sort(byTime)
}

/** Generates messages at random times between 07:30 and 23:30. The seed is the number of the day. */
function chatterOf(number: number, messages: number): Activity[] {
  const random = randomFrom(number)
  return Array.from({ length: messages }, () => {
    const minutes = 7 * 60 + 30 + Math.floor(random() * 16 * 60)
    const at = timeAt(minutes)
    const level = levelAt(number, minutes) + between(random, -1, 1)
    // The higher the water, the more messages are about it.
    const voices = random() * 200 < level - 60 ? RIVER : VOICES
    const { by, directory, phrases } = pick(random, voices)
    return { at, by, say: directory, body: pick(random, phrases)({ random, level, at }) }
  })
}

/**
 * Returns the water level [cm] on the line from one noon to the next.
 * @param number of the day; the first is 1
 * @param minutes since its midnight
 */
export function levelAt(number: number, minutes: number): number {
  // No level is known before the first noon and after the last one.
  const position = Math.min(Math.max(number - 1 + (minutes - 720) / 1440, 0), LEVELS.length - 1)
  const from = LEVELS[Math.floor(position)] as number
  const to = LEVELS[Math.ceil(position)] as number
  return Math.round(from + (to - from) * (position % 1))
}

const timeAt = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const byTime = (a: Activity, b: Activity): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)

/** Returns a seeded generator (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed * 0x9e3779b1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
