// Starts a service for the tests of a file. Its archive has five days and one in the future; one day lacks a count and
// a medium, and one has a read-only interval.
import { beforeAll } from 'vitest'
import type { Reply } from '../../support/client.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive, type SealedDay } from './archive.ts'

/** The archived days that are not in the future. */
export const DAYS = ['2026-11-14', '2026-11-15', '2026-11-17', '2026-11-18', '2026-11-19']
/** The bytes of the messages of 2026-11-17: the largest unsigned 64-bit count, which a double cannot represent. */
export const BIG = '18446744073709551615'

export interface ServedArchive {
  service: TestService
  /** The archive's folder. */
  dir: string
  days: Map<string, SealedDay>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
}

/** Starts the service in a beforeAll hook: the result is empty until the first test runs. */
export function servedArchive(): ServedArchive {
  const at = { get: (path, headers) => at.service.client.get(path, headers) } as ServedArchive
  beforeAll(async () => {
    at.service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
    at.dir = at.service.archiveDir
    at.days = await makeArchive(at.dir, [...DAYS, '2026-11-21'], {
      '2026-11-17': { counters: { message_bytes: BIG, reviews: null }, media: { mp4: null } },
      '2026-11-18': {
        reasons: [
          {
            code: 'read_only',
            from: '2026-11-18T01:00:00.000Z',
            to: '2026-11-18T02:30:00.000Z',
          },
        ],
      },
    })
  })
  return at
}

/** The days of the items of a list. */
export const daysOf = (json: unknown) =>
  (json as { items: { day: string }[] }).items.map(({ day }) => day)
