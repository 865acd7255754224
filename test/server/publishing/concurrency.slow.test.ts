// Tests many writers and cursor readers over several seconds, on one server and on two (API.md 4.5).
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../support/service.ts'
import { traffic } from '../../support/traffic.ts'
import { expectNothingMissed } from './nothing-missed.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})

describe('16 writers and 4 cursor readers', () => {
  test('no reader of one server misses, repeats or reorders an id', async () => {
    expectNothingMissed(await traffic([service.url], 16, 1_500))
    expect(service.complaints).toEqual([])
  })

  test('no reader of two servers on one database misses, repeats or reorders an id', async () => {
    const other = await startTestService({ DATA_DIR: service.dataDir })
    expectNothingMissed(await traffic([service.url, other.url], 16, 1_500))
  })
})
