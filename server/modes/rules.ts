// What read-only mode and a switched-off feature mean for a request (API.md 8.2, 8.3).
import { Problem } from '../wire/problem.ts'

export const FEATURES = ['directories', 'messages', 'investigations', 'transmissions'] as const
export type Feature = (typeof FEATURES)[number]

export interface Modes {
  readOnly: boolean
  /** In the order of FEATURES. */
  disabled: readonly Feature[]
}

export const isFeature = (name: string): name is Feature =>
  (FEATURES as readonly string[]).includes(name)

/** What holds: the operator's settings and what the environment forces on this process. */
export function combineModes(settings: Modes, forced: Modes): Modes {
  return {
    readOnly: settings.readOnly || forced.readOnly,
    disabled: FEATURES.filter(
      (name) => settings.disabled.includes(name) || forced.disabled.includes(name),
    ),
  }
}

/** What can be published now, for a page. */
export interface PublishingState {
  /** Why nothing of it can be published, as a sentence; null when all of it can. */
  closed: string | null
  /** Whether no message can be published, here or elsewhere. */
  isClosed: boolean
}

/** @param features what a page offers to publish */
export const publishingState = (modes: Modes, features: readonly Feature[]): PublishingState => ({
  closed: whyClosed(modes, features),
  isClosed: isClosedToMessages(modes),
})

function whyClosed({ readOnly, disabled }: Modes, features: readonly Feature[]): string | null {
  if (readOnly) return 'The service is read-only for now: nothing can be published.'
  const off = features.filter((feature) => disabled.includes(feature))
  return off.length === 0 ? null : `Publishing ${off.join(' and ')} is switched off for now.`
}

/** Whether no message can be published now. */
export const isClosedToMessages = (modes: Modes): boolean => whyClosed(modes, ['messages']) !== null

const READ_ONLY_RETRY_S = '60'

/** @throws Problem read_only or feature_disabled while a write of this feature is refused */
export function refuseWrite(modes: Modes, feature: Feature): void {
  if (modes.readOnly)
    throw new Problem('read_only', 'the service is read-only for now', {
      'retry-after': READ_ONLY_RETRY_S,
    })
  if (modes.disabled.includes(feature))
    throw new Problem('feature_disabled', `publishing ${feature} is switched off`)
}

/** @throws Problem archive_unavailable while the archive's reads are switched off */
export function refuseArchiveRead(modes: Modes): void {
  if (modes.disabled.includes('transmissions'))
    throw new Problem('archive_unavailable', 'the transmissions archive is switched off', {
      'retry-after': READ_ONLY_RETRY_S,
    })
}
