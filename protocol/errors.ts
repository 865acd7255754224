// What can go wrong in the protocol: one error class, and the closed list of its codes (SPEC.md 10).

/** Every code that a ProtocolError or a decoding may carry, with what it says in general. */
export const ERROR_CODES = {
  invalid_fields: 'the day to be encoded breaks a rule of the frame',
  invalid_frame: 'a frame holds a value or a combination that the rules of V1 refuse',
  crc_mismatch: 'the checksum of a frame does not match its content',
  invalid_tones: 'a tone list has the wrong length or a tone out of range',
  not_wav: 'the file is not a RIFF, RIFX or RF64 WAVE file',
  invalid_wav: 'the file is a WAVE file whose header contradicts itself',
  truncated_wav: 'the file ends before its sound begins',
  unsupported_wav: 'the file is a WAVE file in a coding that is not read here',
  silent: 'the recording holds no sound',
  too_short: 'the recording is too short to hold a transmission',
  no_sync: 'no transmission was found in the recording',
  incomplete: 'a transmission was found, of which too much lies outside the recording',
  no_frame: 'a transmission was found, but no valid frame could be recovered from it',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** An error for people: `code` is stable and for programs, `message` is a sentence that names what and why. */
export class ProtocolError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'ProtocolError'
    this.code = code
  }
}
