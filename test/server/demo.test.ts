// The demo's week: what it writes is what its days say (decisions.md section 10).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeSnapshot } from '../../pipeline/snapshot.ts'
import { liveDemoWeek } from '../../server/demo/main.ts'
import { DEMO_WEEK } from '../../server/demo/week.ts'
import { openStore, type Store } from '../../server/store/database.ts'

const NOW = Date.parse('2026-11-20T08:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'daysignal-demo-test-'))
let store: Store
beforeAll(async () => {
  store = await openStore(join(folder, 'week.sqlite'), { create: true })
  await liveDemoWeek(store, NOW)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const snapshotOf = async (day: string) => (await takeSnapshot(store, day, null, NOW)).snapshot

test('each day has the messages of its acts, less the hidden one', async () => {
  for (const [i, { acts }] of DEMO_WEEK.entries()) {
    const { counters } = await snapshotOf(`2026-11-${13 + i}`)
    const said = acts.filter((act) => 'body' in act).length
    const hidden = acts.filter((act) => 'hide' in act).length
    expect(counters.messages).toBe(String(said - hidden))
  }
})

test('one day is quiet, one has an outage, the others are active', async () => {
  const conclusions: string[] = []
  for (let day = 13; day <= 19; day++)
    conclusions.push((await snapshotOf(`2026-11-${day}`)).conclusion)
  expect(conclusions).toEqual([
    'active',
    'active',
    'active',
    'quiet',
    'active',
    'inconclusive',
    'active',
  ])
  expect((await snapshotOf('2026-11-18')).coverage).toMatchObject({
    status: 'partial',
    reasons: [
      {
        code: 'service_not_running',
        from: '2026-11-18T02:10:00.000Z',
        to: '2026-11-18T06:40:00.000Z',
      },
    ],
  })
})
