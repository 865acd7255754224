// Rate limits in fixed UTC windows: their quotas, and the header fields and errors that report them (API.md 6).
import { DAY_MS } from '../../protocol/index.ts'
import { Problem } from '../wire/problem.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * The five limits of the specification, and `messages_origin_day`, which is off by default: length of the window [ms],
 * and whether each origin is counted separately.
 */
export const LIMITS = {
  messages_origin_minute: { window: MINUTE, perOrigin: true, byDefault: 300 },
  messages_origin_day: { window: DAY_MS, perOrigin: true, byDefault: 0 },
  messages_global_minute: { window: MINUTE, perOrigin: false, byDefault: 1200 },
  messages_global_day: { window: DAY_MS, perOrigin: false, byDefault: 50_000 },
  directories_origin_hour: { window: HOUR, perOrigin: true, byDefault: 100 },
  directories_global_day: { window: DAY_MS, perOrigin: false, byDefault: 2000 },
} as const

export type LimitName = keyof typeof LIMITS

/** The quota of each limit; 0 lifts it. */
export type Quotas = Record<LimitName, number>

/** The limits shared by plain messages, questions and contributions. */
export const MESSAGE_LIMITS = [
  'messages_origin_minute',
  'messages_origin_day',
  'messages_global_minute',
  'messages_global_day',
] as const
export const DIRECTORY_LIMITS = ['directories_origin_hour', 'directories_global_day'] as const

/** What a publication counts towards. */
export interface Publication {
  limits: readonly LimitName[]
  /** Keyed hash of the source address. */
  origin: string
}

/** The state of one window after counting a publication. */
export interface WindowState {
  name: LimitName
  quota: number
  /** Publications left; negative if this one is over the quota. */
  remaining: number
  /** Time until the window ends, rounded up [s]. */
  resets: number
}

export type Fields = Record<string, string>

/** Returns the error of a publication over a quota. Its Retry-After is the end of the latest full window. */
export function rateLimited(full: WindowState[], states: WindowState[]): Problem {
  // The rejected publication is not counted after all.
  const before = states.map((state) => ({ ...state, remaining: state.remaining + 1 }))
  const { name, quota, resets } = full.reduce((a, b) => (b.resets > a.resets ? b : a))
  return new Problem('rate_limited', `${name}: at most ${quota}; try again in ${resets} s`, {
    'retry-after': String(resets),
    ...rateLimitFields(before),
  })
}

/** Renders RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimitFields(states: WindowState[]): Fields {
  if (states.length === 0) return {}
  const policy = states.map(
    ({ name, quota }) => `"${name}";q=${quota};w=${LIMITS[name].window / 1000}`,
  )
  const state = states.map(
    ({ name, remaining, resets }) => `"${name}";r=${Math.max(0, remaining)};t=${resets}`,
  )
  return { 'ratelimit-policy': policy.join(', '), ratelimit: state.join(', ') }
}
