// Why a file could not be read: the code of a finding, and a one-line message.
import type { FindingCode } from '../verify/findings.ts'

export class ReadFailure extends Error {
  override name = 'ReadFailure'
  readonly code: FindingCode

  constructor(code: FindingCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
