// The error class of the protocol and the closed list of its codes (SPEC.md 10).

/** Every code of a ProtocolError or a Decoding; SPEC.md 10 states when each applies. */
export const ERROR_CODES = [
  'invalid_fields',
  'invalid_frame',
  'crc_mismatch',
  'invalid_tones',
  'not_wav',
  'invalid_wav',
  'truncated_wav',
  'unsupported_wav',
  'silent',
  'too_short',
  'no_sync',
  'incomplete',
  'no_frame',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** `code` is stable and meant for programs; `message` is one sentence for people that states what is wrong and why. */
export class ProtocolError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'ProtocolError'
    this.code = code
  }
}
