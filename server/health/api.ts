// Declares the health endpoints (API.md 10.1).
import { z } from 'zod'
import { endpoints, read } from '../wire/endpoint.ts'
import { named } from '../wire/fields.ts'

const availability = z.enum(['ok', 'unavailable'])

const Health = named('Health', {
  status: z.literal('ok'),
  version: z.string().meta({ description: 'of the program, such as 1.0.0' }),
  database: availability,
  archive: availability,
  clock: z
    .enum(['ok', 'wrong'])
    .meta({ description: 'wrong while the server refuses to write because of its clock' }),
})

export type Health = z.output<typeof Health>

const health = {
  cache: 'no-store',
  answer: { description: 'The database can be read.', schema: Health },
} as const

export const HEALTH = endpoints('Service', {
  readHealth: read({
    path: '/healthz',
    summary: 'Whether the database and the archive can be read',
    description:
      'Within 2 s: 503 while the database cannot be read. An archive that cannot be read, or a wrong clock, still answers 200 (API.md 10.1).',
    ...health,
  }),
  readReadiness: read({
    path: '/readyz',
    summary: 'The same, and whether the service accepts requests; it does not while it stops',
    description:
      'Also 503 once a newer version has migrated the database, since writes are then refused (API.md 10.1).',
    errors: ['overloaded'],
    ...health,
  }),
})
