// Tests which PostgreSQL connections go back to the pool after use.
import type { PoolClient, QueryArrayConfig } from 'pg'
import { expect, test } from 'vitest'
import { kyselyOf } from '../../../../server/database/postgres/dialect.ts'
import { Session } from '../../../../server/database/postgres/session.ts'

const answered = Promise.resolve({ fields: [], rows: [] })

/** Runs a transaction that fails, and returns what the pool was told to do with its connection. */
async function destroyedAfter(rollback: () => Promise<unknown>): Promise<unknown> {
  let destroyed: unknown
  const client = {
    query: ({ text }: QueryArrayConfig, done: (error: unknown, result?: unknown) => void) =>
      (text === 'rollback' ? rollback() : answered).then((result) => done(null, result), done),
  } as unknown as PoolClient
  const options = {
    timeout: 1,
    nameOf: null,
    onUnresponsive: () => {},
    release: (destroy: boolean) => {
      destroyed = destroy
    },
  }
  const pool = {
    options: {},
    connect: async () => new Session(client, options),
    end: async () => {},
  }
  const timeouts = { statement: 1, lock: 1, idle: 1 }
  const primary = { host: 'one', position: null }
  const hosts = { primary, check: () => primary, explain: (error: unknown) => error }
  const db = kyselyOf(pool, { timeouts, hosts })
  const failed = db.transaction().execute(() => Promise.reject(new Error('the work failed')))
  await expect(failed).rejects.toThrow('the work failed')
  return destroyed
}

test('a connection goes back to the pool after a rollback', async () => {
  expect(await destroyedAfter(() => answered)).toBe(false)
})

test('a connection whose rollback failed is closed, whatever the error', async () => {
  expect(await destroyedAfter(() => Promise.reject(new Error('an unknown error')))).toBe(true)
})
