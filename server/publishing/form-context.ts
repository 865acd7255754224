// The data that a page with a publishing form needs.
import { baseUrlOf, type Call } from '../http/call.ts'
import { type PublishingState, publishingState } from '../modes/rules.ts'
import type { WriteDeps } from './create.ts'
import type { WriteFeature } from './creation.ts'

export interface PublishingContext extends PublishingState {
  /** The address of the service in commands that can be pasted into a shell; no trailing slash. */
  base_url: string
  /** When the current day becomes sound, as in `at 00:05 UTC`. */
  sound_time: string
}

export async function publishingContext(
  deps: Pick<WriteDeps, 'modes' | 'clockGuard' | 'baseUrl' | 'soundTime'>,
  call: Call,
  feature: WriteFeature,
): Promise<PublishingContext> {
  const { modes, clockGuard, baseUrl, soundTime } = deps
  return {
    ...publishingState(await modes.now(), [feature], clockGuard.isWrong),
    base_url: baseUrlOf(call, baseUrl),
    sound_time: soundTime(),
  }
}
