// A log's key as a word on a command line.
import { ArchiveError } from '../../archive/errors.ts'
import { parseVkey, type Verifier } from '../../archive/log/note.ts'
import { UsageError } from './terminal.ts'

/** The key that --key names. @throws UsageError with one line */
export function readKey(text: string): Verifier {
  try {
    return parseVkey(text)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new UsageError(`--key: ${error.message}`)
  }
}
