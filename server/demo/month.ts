// Generates the demo's thirty days: daily chatter, and what days.json scripts: an investigation, and the whole last week.
import type { Env } from '../data/environment.ts'
import days from './days.json' with { type: 'json' }
import type { Activity, DemoDay } from './seed.ts'
import { between, fill, pick, type Random, RIVER, VOICES } from './voices.ts'

const SCRIPT = days as unknown as {
  /** Generated messages of each day, uneven as in real life, in addition to the scripted ones. The flood is on day 11. */
  messages: number[]
  /** Water level at the footbridge at noon of each day, including today [cm]. */
  levels: number[]
  /** By their number. The last seven have two investigations, in seven languages. */
  days: Record<number, DemoDay>
  today: Activity[]
}

/** Returns the month, oldest day first; the last one is yesterday. It is the same every time. */
export function demoMonth(): DemoDay[] {
  return SCRIPT.messages.map((messages, i) => {
    const number = i + 1
    const { activities: scripted = [], outage } = SCRIPT.days[number] ?? {}
    const activities = [...chatterOf(number, messages), ...scripted]
    return { activities: activities.sort(byTime), ...(outage && { outage }) }
  })
}

export const demoToday = (): Activity[] => SCRIPT.today

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
    return { at, by, say: directory, body: fill(pick(random, phrases), { random, level, at }) }
  })
}

/**
 * Returns the water level [cm] on the line from one noon to the next.
 * @param number of the day; the first is 1
 * @param minutes since its midnight
 */
export function levelAt(number: number, minutes: number): number {
  // No level is known before the first noon and after the last one.
  const { levels } = SCRIPT
  const position = Math.min(Math.max(number - 1 + (minutes - 720) / 1440, 0), levels.length - 1)
  const from = levels[Math.floor(position)] as number
  const to = levels[Math.ceil(position)] as number
  return Math.round(from + (to - from) * (position % 1))
}

const timeAt = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const byTime = (a: Activity, b: Activity): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)

function randomFrom(seed: number): Random {
  let state = seed * 0x9e3779b1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Prefixes of the removed variables; those that do not end in `_` are whole names. */
const REMOVED = `ARCHIVE_ AWS_ BASE_URL DATABASE_ DISABLED_FEATURES LIMIT_ LOG_ORIGIN MEDIA_REDIRECT
  METRICS_PORT MIRRORS OPERATOR_CONTACT READ_ONLY SCHEDULE SIGNING_KEY_FILE TRUST_PROXY WITNESS_POLICY`.split(
  /\s+/,
)

const DEMO_ORIGIN = 'demo.localhost'

/** Returns the environment of a demo in this data folder. It keeps HOST, PORT, FFMPEG_PATH and LOG_LEVEL. */
export function demoEnvironment(env: Env, dataDir: string): Env {
  const own = Object.entries(env).filter(
    ([name]) => !REMOVED.some((prefix) => name.startsWith(prefix)),
  )
  return {
    ...Object.fromEntries(own),
    DATA_DIR: dataDir,
    LOG_ORIGIN: DEMO_ORIGIN,
    OPERATOR_CONTACT: `operator@${DEMO_ORIGIN}`,
  }
}
