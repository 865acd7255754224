// A service with an archive of five days and one in its future, for the tests of a file: one day lacks a count and a
// medium, one was read-only for a while.
import { afterAll, beforeAll } from 'vitest'
import type { Reply } from '../../support/client.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive, type SealedDay } from './archive.ts'

/** Those that are not in the future. */
export const DAYS = ['2026-11-14', '2026-11-15', '2026-11-17', '2026-11-18', '2026-11-19']
/** More than a JSON number holds: the messages of 2026-11-17. */
export const BIG = '18446744073709551615'

export interface ServedArchive {
  service: TestService
  /** The archive's folder. */
  dir: string
  days: Map<string, SealedDay>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
}

/** Is filled before the first test. */
export function servedArchive(): ServedArchive {
  const at = { get: (path, headers) => at.service.client.get(path, headers) } as ServedArchive
  beforeAll(async () => {
    at.service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
    at.dir = at.service.archiveDir
    at.days = await makeArchive(at.dir, [...DAYS, '2026-11-21'], {
      '2026-11-17': { counters: { messages: BIG, reviews: null }, media: { mp4: null } },
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
  afterAll(() => at.service.stop())
  return at
}

/** The days of a list's items. */
export const daysOf = (json: unknown) =>
  (json as { items: { day: string }[] }).items.map(({ day }) => day)
