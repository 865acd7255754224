// Histories of two servers on which nothing is wrong but their wall clocks, on the engine of the run: the guard is their judge.
// Time passes only between two requests, so its rules tell what each server must answer. Rules: OPERATING.md 6.1-6.2.
import { expect, test } from 'vitest'
import { readingOf } from '../../server/clock/guard.ts'
import { firstMemory, judge } from '../../server/clock/rules.ts'
import { instant } from '../../server/wire/instant.ts'
import { clientOf } from '../support/client.ts'
import { clockIn } from '../support/clock-file.ts'
import { ON_POSTGRES } from '../support/database.ts'
import { publisherOf } from '../support/publish.ts'
import { random } from '../support/random.ts'
import { MINUTES, SEED } from './length.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000
/** How far a clock is off at most, and how much time passes at once [ms]. */
const ERRORS_MS = [70_000, 8 * HOUR_MS, 30 * HOUR_MS]
const PASSES_MS = [20_000, 20_000, 90_000, 12 * HOUR_MS]
/** How often something happens to the clocks in the short form. */
const CHANGES = 20

/** A server, and what its guard remembers. */
function serverOf({ machines }: World, which: number) {
  const machine = machines[which] as World['machines'][number]
  const clock = clockIn(machine.clockFile)
  const read = () => readingOf(clock, { databaseTime: ON_POSTGRES ? clock.ofDatabase(0) : null })
  const client = clientOf(() => machine.server?.url ?? '')
  return { which, client, read, memory: firstMemory(read()) }
}

/** Writes to a server, which must answer as its guard says. @returns when it was published [ms]; null if it was refused */
async function write(server: ReturnType<typeof serverOf>, latest: number): Promise<number | null> {
  const moment = { ...server.read(), latest }
  const { memory, faults } = judge(server.memory, moment, null)
  server.memory = memory
  const { client } = server
  const reply = await client.post('/api/v1/messages', { directory: 'lab', body: 'now' })
  const { json: health } = await client.get('/healthz')
  if (faults.length > 0) {
    const message = expect.stringContaining('the clock of this server is wrong')
    expect([reply, health]).toMatchObject([{ status: 503, message }, { clock: 'wrong' }])
    return null
  }
  const at = Math.max(latest, moment.wall)
  const dated = { publish_at: instant(at) }
  expect([reply, health]).toMatchObject([{ status: 201, json: dated }, { clock: 'ok' }])
  return at
}

test(
  'a server dates all that its guard admits and nothing that it refuses, however the wall clocks are stepped',
  async () => {
    const source = random(SEED)
    const { one } = source
    const world = await World.open(source, ON_POSTGRES)
    world.stand()
    const servers = [serverOf(world, 0), serverOf(world, 1)]
    await publisherOf(one(servers).client).directory('lab')
    const seen = { admitted: 0, refused: 0 }
    const end = AbortSignal.timeout(MINUTES * 60_000)
    let latest = 0
    for (let change = 0; MINUTES > 0 ? !end.aborted : change < CHANGES; change++) {
      const [chance, server] = [source.uniform(), one(servers)]
      const part = source.uniform()
      if (chance < 0.5) world.pass(Math.floor(part * one(PASSES_MS)))
      else if (chance < 0.6) world.setOff(server.which, 0)
      else if (chance < 0.9) world.setOff(server.which, Math.floor((2 * part - 1) * one(ERRORS_MS)))
      else {
        await world.restart(server.which)
        server.memory = firstMemory(server.read())
      }
      for (const each of servers) {
        const at = await write(each, latest)
        latest = at ?? latest
        seen[at === null ? 'refused' : 'admitted']++
      }
    }
    expect(Math.min(seen.admitted, seen.refused)).toBeGreaterThan(0)
    await world.close()
    if (MINUTES > 0) process.stdout.write(`clocks: ${JSON.stringify(seen)}\n`)
  },
  (MINUTES + 20) * 60_000,
)
