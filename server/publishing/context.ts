// The data that a page with a publishing form needs.
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import { type PublishingState, publishingState } from '../modes/rules.ts'
import type { Queryable } from '../store/database.ts'
import type { WriteDeps } from './create.ts'
import type { WriteFeature } from './creation.ts'

export interface PublishingContext extends PublishingState {
  /** The address of the service in commands that can be pasted into a shell; no trailing slash. */
  base_url: string
}

export async function publishingContext(
  { modes, clockGuard, baseUrl }: Pick<WriteDeps, 'modes' | 'clockGuard' | 'baseUrl'>,
  call: Call,
  db: Queryable,
  feature: WriteFeature,
): Promise<PublishingContext> {
  const state = publishingState(await modes(db), [feature], clockGuard.isWrong)
  return { ...state, base_url: baseUrlOf(call, baseUrl) }
}
