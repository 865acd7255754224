// The validation rules of directories and messages (specification, Directory and Message; API.md 3 and 4).
import { z } from 'zod'
import { named } from '../wire/fields.ts'
import { type ErrorCode, Problem } from '../wire/problem.ts'
import { answersWith, authorLabel, body } from '../wire/text.ts'

export const MAX_PATH = 256
/** As in the specification; `isPath` also excludes the segments . and .. */
export const PATH = /^[a-z0-9_.-]{1,64}(?:\/[a-z0-9_.-]{1,64}){0,7}$/
const PATH_RULE =
  'must be 1 to 8 segments joined by /, each of 1 to 64 characters a-z 0-9 _ . - and not . or .., 256 characters in all'

/** Whether a text is a syntactically valid directory path. */
export function isPath(text: string): boolean {
  if (!PATH.test(text) || text.length > MAX_PATH) return false
  return text.split('/').every((segment) => segment !== '.' && segment !== '..')
}

/** @throws Problem with `code` unless the text is a valid directory path */
export function requirePath(text: string, name: string, code: ErrorCode = 'invalid_directory') {
  if (!isPath(text)) throw new Problem(code, `${name}: ${PATH_RULE}`)
}

/** Whether a path is in the reserved namespace `system`. */
const isReserved = (path: string): boolean => path === 'system' || path.startsWith('system/')

/**
 * The directory of the hidden messages of a board from a mirror, which knows neither their directories nor their texts
 * (COMMANDS.md 6.9). Nobody can create it.
 */
export const HIDDEN_PATH = 'system/hidden'

/** `a/b/c` -> `a/b`; undefined for one segment. */
export function parentPath(path: string): string | undefined {
  const end = path.lastIndexOf('/')
  return end === -1 ? undefined : path.slice(0, end)
}

export const directoryPath = z
  .string()
  .refine(isPath, {
    error: ({ input }) => (input === '' ? 'must not be empty' : PATH_RULE),
    params: answersWith('invalid_directory'),
    abort: true,
  })
  .meta({
    minLength: 1,
    maxLength: MAX_PATH,
    pattern: PATH.source,
    description: 'A slash-separated path whose parents exist.',
  })

export const directoryRequest = named('DirectoryRequest', {
  path: directoryPath.refine((path) => !isReserved(path), {
    message: 'the system namespace is reserved',
    params: answersWith('reserved_path'),
  }),
  author_label: authorLabel,
})

export const messageRequest = named('MessageRequest', {
  directory: directoryPath,
  body,
  author_label: authorLabel,
})

export type DirectoryRequest = z.output<typeof directoryRequest>
export type MessageRequest = z.output<typeof messageRequest>
