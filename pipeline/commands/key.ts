// Parses the --key option, a log's verifier key.
import { UsageError } from '../../archive/base/terminal.ts'
import { isArchiveError } from '../../archive/errors.ts'
import { parseVkey, type Verifier } from '../../archive/log/note.ts'

/** Parses the value of --key. @throws UsageError with one line */
export function readKey(text: string): Verifier {
  try {
    return parseVkey(text)
  } catch (error) {
    if (!isArchiveError(error)) throw error
    throw new UsageError(`--key: ${error.message}`)
  }
}
