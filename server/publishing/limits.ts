// Rate limits in fixed UTC windows, counted in the database (decisions.md section 6).
import type { Transaction } from 'kysely'
import type { Schema } from '../store/schema.ts'
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

/** One window as it stands with this publication counted. */
interface Standing {
  name: LimitName
  quota: number
  /** Publications left, and whole seconds until the window ends. */
  remaining: number
  resets: number
}

/**
 * Counts one publication in every window it falls in; a transaction that is rolled back counts nothing.
 * @param now ms since 1970
 * @returns the RateLimit fields of the answer
 * @throws Problem rate_limited, with Retry-After to the end of the latest window that is full
 */
export async function takeQuota(
  tx: Transaction<Schema>,
  names: readonly LimitName[],
  quotas: Quotas,
  origin: string,
  now: number,
): Promise<Record<string, string>> {
  const standings: Standing[] = []
  for (const name of names)
    if (quotas[name] > 0) standings.push(await count(tx, name, quotas[name], origin, now))
  const full = standings.filter((standing) => standing.remaining < 0)
  if (full.length === 0) return rateLimitFields(standings)
  // Nothing stays counted of what is refused.
  const fields = rateLimitFields(
    standings.map((standing) => ({ ...standing, remaining: standing.remaining + 1 })),
  )
  const { name, quota, resets } = full.reduce((a, b) => (b.resets > a.resets ? b : a))
  throw new Problem('rate_limited', `${name}: at most ${quota}; try again in ${resets} s`, {
    'retry-after': String(resets),
    ...fields,
  })
}

async function count(
  tx: Transaction<Schema>,
  name: LimitName,
  quota: number,
  origin: string,
  now: number,
): Promise<Standing> {
  const { window, perOrigin } = LIMITS[name]
  const starts_at = Math.floor(now / window) * window
  const ends_at = starts_at + window
  const row = await tx
    .insertInto('rate_windows')
    .values({ name, origin: perOrigin ? origin : '', starts_at, ends_at, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'origin', 'starts_at'])
        .doUpdateSet((eb) => ({ count: eb('rate_windows.count', '+', 1n) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  const resets = Math.max(1, Math.ceil((ends_at - now) / 1000))
  return { name, quota, remaining: quota - Number(row.count), resets }
}

/** RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10. */
function rateLimitFields(standings: Standing[]): Record<string, string> {
  if (standings.length === 0) return {}
  const policy = standings.map(
    ({ name, quota }) => `"${name}";q=${quota};w=${LIMITS[name].window / 1000}`,
  )
  const state = standings.map(
    ({ name, remaining, resets }) => `"${name}";r=${Math.max(0, remaining)};t=${resets}`,
  )
  return { 'ratelimit-policy': policy.join(', '), ratelimit: state.join(', ') }
}
