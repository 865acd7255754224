// Parses the options that verify and mirror share: the key of a log, how fresh it must be, which copies it is compared
// with, and whose signatures it needs.
import { parseBaseAddress } from '../../archive/base/base-address.ts'
import { lineOf, UsageError } from '../../archive/base/terminal.ts'
import { isArchiveError } from '../../archive/errors.ts'
import { parseVkey, type Verifier } from '../../archive/log/note.ts'
import type { Policy } from '../../archive/log/policy.ts'
import { readPolicyFile } from '../../archive/log/policy-file.ts'

/** Parses the value of --key, a log's verifier key. @throws UsageError with one line */
export function readKey(text: string): Verifier {
  try {
    return parseVkey(text)
  } catch (error) {
    if (!isArchiveError(error)) throw error
    throw new UsageError(`--key: ${error.message}`)
  }
}

/** About a century; more is a typing error. */
const MAX_HOURS = 999_999

/** Parses the value of --fresh [h]. @throws UsageError with one line */
export function readHours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const hours = Number(text)
  if (!/^[1-9][0-9]*$/.test(text) || hours > MAX_HOURS)
    throw new UsageError(`--fresh: must be a whole number of hours, 1 to ${MAX_HOURS}`)
  return hours
}

/** Parses the values of --peer. @throws UsageError with one line */
export function readPeers(texts: readonly string[] = []): string[] {
  const peers = texts.map((text) => {
    try {
      return parseBaseAddress(text)
    } catch (error) {
      throw new UsageError(`--peer: ${(error as Error).message}`)
    }
  })
  const twice = peers.find((peer, index) => peers.indexOf(peer) < index)
  if (twice !== undefined) throw new UsageError(`--peer: ${twice} is given twice`)
  return peers
}

/** Reads the file of --policy. @throws UsageError with one line */
export function readPolicy(file: string | undefined): Policy | undefined {
  if (file === undefined) return undefined
  try {
    return readPolicyFile(file)
  } catch (error) {
    throw new UsageError(`--policy: ${lineOf(error)}`)
  }
}
