// Validates a request's value against its schema; the first broken rule becomes a Problem.
import type { z } from 'zod'
import { fieldName } from '../../archive/base/json.ts'
import { type ErrorCode, Problem } from './problem.ts'
import { ID_RULE } from './query.ts'

/**
 * @returns the parsed value, with defaults filled in
 * @throws Problem that names the field and its rule, with the rule's own code or `invalid_request`
 */
export function readShape<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  const issue = result.error.issues[0] as z.core.$ZodIssue
  const field = fieldName(issue.path)
  const code = (issue.code === 'custom' && (issue.params?.code as ErrorCode)) || 'invalid_request'
  throw new Problem(code, `${field || 'the request'}: ${sentence(issue)}`)
}

const TYPE_RULES: Record<string, string> = {
  // Ids are the only integers in requests.
  bigint: ID_RULE,
  string: 'must be a string',
  object: 'must be an object',
  array: 'must be an array',
}

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : (TYPE_RULES[issue.expected] ?? issue.message)
    case 'unrecognized_keys':
      return `has the unknown property ${JSON.stringify(issue.keys[0])}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return issue.origin === 'array' ? `must have at most ${issue.maximum} items` : issue.message
    default:
      return issue.message
  }
}
