// Tests the classification of errors of PostgreSQL and its driver.
import { expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../../../server/database/errors.ts'
import {
  asUnavailable,
  CommitUnknown,
  endsSession,
  isTransient,
  NotPrimary,
} from '../../../../server/database/postgres/errors.ts'

const coded = (code: string) => Object.assign(new Error(`of code ${code}`), { code })

test.each(['40001', '40P01', '55P03'])('%s: the work is retried on the same connection', (code) => {
  expect([isTransient(coded(code)), endsSession(coded(code))]).toEqual([true, false])
})

test.each([
  ...['08006', '08P01', '40003', '53300', '57P01', '57P03', '25006', '25P03'],
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'],
])('%s: the work is retried on another connection', (code) => {
  expect([isTransient(coded(code)), endsSession(coded(code))]).toEqual([true, true])
})

test.each([
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout exceeded when trying to connect',
])('the driver\'s "%s" has no code and makes the connection unusable', (message) => {
  expect(endsSession(new Error(message))).toBe(true)
})

test('a server that is no primary makes the connection unusable', () => {
  expect(endsSession(new NotPrimary('a replica'))).toBe(true)
})

test.each(['53100', '57014', '58030', '28P01', '3D000', 'XX000'])(
  '%s: the database is unavailable, and an immediate retry does not help',
  (code) => {
    expect(isTransient(coded(code))).toBe(false)
    expect(asUnavailable(coded(code))).toBeInstanceOf(DatabaseUnavailable)
  },
)

test.each(['23505', '42P01', '22021', '23503'])(
  '%s: the query is invalid, and the database is available',
  (code) => {
    const error = coded(code)
    expect([asUnavailable(error), isTransient(error), endsSession(error)]).toEqual([
      error,
      false,
      false,
    ])
  },
)

test('a lost response to COMMIT names the batch to look up', () => {
  const error = new CommitUnknown('some-batch', coded('ECONNRESET'))
  expect([error.batch, isTransient(error), asUnavailable(error)]).toEqual([
    'some-batch',
    true,
    error,
  ])
})

test('an unavailable database without an engine failure, such as used up ids, stays unavailable', () => {
  const error = new DatabaseUnavailable('the sequence has reached its end')
  expect([isTransient(error), asUnavailable(error)]).toEqual([false, error])
})

test('a host with several addresses fails with the first of its errors', () => {
  const error = Object.assign(new AggregateError([coded('ECONNREFUSED')], ''), {
    code: 'ECONNREFUSED',
  })
  expect(asUnavailable(error)).toMatchObject({ message: 'of code ECONNREFUSED' })
})
