// The effects of read-only mode and of disabled features on requests and pages (API.md 8.2, 8.3).
import { Problem } from '../wire/problem.ts'

export const FEATURES = ['directories', 'messages', 'investigations', 'transmissions'] as const
export type Feature = (typeof FEATURES)[number]

export interface Modes {
  readOnly: boolean
  /** The operator's reason for read-only mode, as part of a sentence; missing if only the environment forces it. */
  reason?: string
  /** In the order of FEATURES. */
  disabled: readonly Feature[]
}

/** Combines the operator's settings with the modes that the environment forces on this process. */
export function combineModes(settings: Modes, forced: Modes): Modes {
  return {
    ...settings,
    readOnly: settings.readOnly || forced.readOnly,
    disabled: FEATURES.filter(
      (name) => settings.disabled.includes(name) || forced.disabled.includes(name),
    ),
  }
}

export interface PublishingState {
  /** Names those of the page's features that are closed, as a sentence; null while all are open. */
  closed: string | null
  /** True while no message can be published on any page. */
  isClosed: boolean
}

/**
 * @param features those that the page offers to publish to
 * @param isClockWrong whether the server refuses to write because of its clock
 */
export const publishingState = (
  modes: Modes,
  features: readonly Feature[],
  isClockWrong: boolean,
): PublishingState => ({
  closed: isClockWrong ? CLOCK_IS_WRONG : whyClosed(modes, features),
  isClosed: isClockWrong || isClosedToMessages(modes),
})

const CLOCK_IS_WRONG =
  'The clock of this service is wrong: nothing can be published until it is right.'

function whyClosed(
  { readOnly, reason, disabled }: Modes,
  features: readonly Feature[],
): string | null {
  if (readOnly) {
    const why = reason === undefined ? '' : ` Reason: ${reason}.`
    return `The service is read-only for now: nothing can be published.${why}`
  }
  const off = features.filter((feature) => disabled.includes(feature))
  return off.length === 0 ? null : `Publishing ${off.join(' and ')} is switched off for now.`
}

export const isClosedToMessages = (modes: Modes): boolean => whyClosed(modes, ['messages']) !== null

export const CLOSED_RETRY_S = '60'

/** @throws Problem read_only or feature_disabled unless this feature accepts writes */
export function requireWritable(modes: Modes, feature: Feature): void {
  if (modes.readOnly) {
    const why = modes.reason === undefined ? '' : `: ${modes.reason}`
    throw new Problem('read_only', `the service is read-only for now${why}`, {
      'retry-after': CLOSED_RETRY_S,
    })
  }
  if (modes.disabled.includes(feature))
    throw new Problem('feature_disabled', `publishing ${feature} is switched off`)
}
