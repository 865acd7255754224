// Rate limits in fixed UTC windows: their quotas, and the fields and refusals that state them (API.md 6).
import { Problem } from '../wire/problem.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The five limits of the specification: window length in ms, and whether each origin has its own. */
export const LIMITS = {
  messages_origin_minute: { window: MINUTE, perOrigin: true, byDefault: 300 },
  messages_global_minute: { window: MINUTE, perOrigin: false, byDefault: 1200 },
  messages_global_day: { window: DAY, perOrigin: false, byDefault: 50_000 },
  directories_origin_hour: { window: HOUR, perOrigin: true, byDefault: 100 },
  directories_global_day: { window: DAY, perOrigin: false, byDefault: 2000 },
} as const

export type LimitName = keyof typeof LIMITS

/** The quota of each limit; 0 lifts it. */
export type Quotas = Record<LimitName, number>

/** The shared publication quota: plain messages, questions and contributions. */
export const MESSAGE_LIMITS = [
  'messages_origin_minute',
  'messages_global_minute',
  'messages_global_day',
] as const
export const DIRECTORY_LIMITS = ['directories_origin_hour', 'directories_global_day'] as const

/** What limits a publication, and whose it is. */
export interface Publication {
  limits: readonly LimitName[]
  /** Keyed hash of the source address. */
  origin: string
}

/** One window with this publication counted. */
export interface Standing {
  name: LimitName
  quota: number
  /** Publications left, and whole seconds until the window ends. */
  remaining: number
  resets: number
}

/** Header fields by name. */
export type Fields = Record<string, string>

/** The refusal of a publication by the latest of the windows that are full, with its Retry-After. */
export function rateLimited(full: Standing[], standings: Standing[]): Problem {
  // Nothing stays counted of what is refused.
  const fields = rateLimitFields(
    standings.map((standing) => ({ ...standing, remaining: standing.remaining + 1 })),
  )
  const { name, quota, resets } = full.reduce((a, b) => (b.resets > a.resets ? b : a))
  return new Problem('rate_limited', `${name}: at most ${quota}; try again in ${resets} s`, {
    'retry-after': String(resets),
    ...fields,
  })
}

/** RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimitFields(standings: Standing[]): Fields {
  if (standings.length === 0) return {}
  const policy = standings.map(
    ({ name, quota }) => `"${name}";q=${quota};w=${LIMITS[name].window / 1000}`,
  )
  const state = standings.map(
    ({ name, remaining, resets }) => `"${name}";r=${Math.max(0, remaining)};t=${resets}`,
  )
  return { 'ratelimit-policy': policy.join(', '), ratelimit: state.join(', ') }
}
