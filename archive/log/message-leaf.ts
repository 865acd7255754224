// Reads the data of a message's leaf (FORMAT.md 18.2), strictly: whatever it accepts is written back to the same bytes.
import { ArchiveError } from '../base/errors.ts'
import { dayOf } from '../format/calendar.ts'
import { isSha256 } from '../format/paths.ts'
import { isInstant, isSalt, MAX_ID } from '../format/scalars.ts'
import { MESSAGE_LEAF } from './sealed-records.ts'

/** What a leaf states about a message. */
export interface MessageLeaf {
  id: bigint
  directory: string
  /** 64 lowercase hex digits, as all hashes here. */
  bodyHash: string
  /** RFC 3339, like `publishAt`. */
  receivedAt: string
  publishAt: string
  /** The day whose records contain the message. */
  day: string
  labelHash: string
  entryHash: string
  /** 32 lowercase hex digits. */
  salt: string
}

const LINES = 9

/** Parses the data of a leaf. @throws ArchiveError `invalid_receipt` naming the line */
export function parseMessageLeaf(data: string): MessageLeaf {
  const lines = data.split('\n')
  if (lines.pop() !== '') throw invalidLeaf('does not end with a line feed')
  const [version = '', id = '', directory = '', bodyHash = '', receivedAt = '', publishAt = ''] =
    lines
  const [labelHash = '', entryHash = '', salt = ''] = lines.slice(6)
  if (version !== MESSAGE_LEAF || lines.length !== LINES)
    throw invalidLeaf(`does not have the ${LINES} lines of ${MESSAGE_LEAF}`)
  demand(isId(id), 'id')
  demand(/^[a-z0-9_./-]{1,256}$/.test(directory), 'directory')
  demand([bodyHash, labelHash, entryHash].every(isSha256), 'hash')
  demand(isInstant(receivedAt) && isInstant(publishAt), 'time')
  demand(isSalt(salt), 'salt')
  const day = dayOf(Date.parse(publishAt))
  const times = { receivedAt, publishAt, day }
  return { id: BigInt(id), directory, bodyHash, ...times, labelHash, entryHash, salt }
}

function isId(text: string): boolean {
  return /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) <= MAX_ID
}

function demand(isValid: boolean, name: string): void {
  if (!isValid) throw invalidLeaf(`has an invalid ${name}`)
}

function invalidLeaf(message: string): ArchiveError {
  return new ArchiveError('invalid_receipt', `its leaf ${message}`)
}
