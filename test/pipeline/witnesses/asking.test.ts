// A run asks the witnesses of WITNESS_POLICY after its days are sealed, and publishes what they have signed.
// Rules: WRITING.md 5.1-5.3, 5.5.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseNote } from '../../../archive/log/note.ts'
import { readWitnessPolicy } from '../../../archive/log/policy-file.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { openDayLog } from '../../../pipeline/run/signed-log.ts'
import { Witnesses } from '../../../pipeline/witnesses/round.ts'
import { LOG_CHECKPOINT } from '../../../server/data/restored.ts'
import { writeSetting } from '../../../server/database/settings/settings.ts'
import { ORIGIN, vkeyOf } from '../../archive/signing.ts'
import { type KillSwitch, killAtEveryStep, PLACE_WRITES } from '../../support/kill-switch.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { inFull } from '../../support/runs.ts'
import { startWitness } from '../../support/witness.ts'
import { configIn } from '../workshop.ts'
import { ALL, ANY, refuse, signersOf, statuses, witnessedRun } from './witnessed-run.ts'

const at = witnessedRun()
const stranger = await startWitness('stranger.example', 9, vkeyOf(1))
afterAll(() => stranger.close())
const { checkpoint, kept, path, policyText, publishDay, run, verify } = at

/** The lines of a copy of the checkpoint that are by witnesses. */
const witnessed = (copy: string) =>
  copy.split(/(?<=\n)/).filter((line) => line.includes('w.example'))

describe('witnesses that work', () => {
  test('all are asked once, and their lines follow the log own in the order of the policy, in the database too', async () => {
    await publishDay()
    expect(statuses(await run(policyText([3, 1, 2])))).toEqual(['signed', 'signed', 'signed'])
    expect(signersOf(checkpoint())).toEqual([ORIGIN, 'w.example/3', 'w.example/1', 'w.example/2'])
    expect(await kept()).toBe(checkpoint())
    for (const witness of at.witnesses) expect(witness.requests).toEqual(['old 0'])
    const log = `log ${vkeyOf(1)}\n`
    expect(await verify(policyText([1, 2, 3], 'group q all', log))).toMatchObject({
      ok: true,
      log: { quorum: true, key_checked: true },
    })
    expect(await run(policyText([3, 1, 2]))).toEqual({ outcomes: [], derived: [] })
  })

  test('from each size to each later one, a witness accepts the proof that the log continues', async () => {
    for (let size = 1; size <= 7; size += 1) {
      await publishDay()
      for (const [index, witness] of at.witnesses.entries())
        witness.tamper = size % (index + 1) === 0 ? null : refuse
      await run()
      const signed = ALL.filter((_, index) => index === 0 || size % index === 0)
      expect(signersOf(checkpoint())).toEqual(signed)
    }
    expect(at.witnesses[1].requests).toContain('old 6')
  })

  test('a witness that knows another size than is remembered is followed', async () => {
    await publishDay()
    await run()
    for (const witness of at.witnesses) witness.requests.length = 0
    await at.workshop.database.write((tx) =>
      writeSetting(tx, 'log.witnesses', JSON.stringify({ sizes: {}, claims: {} })),
    )
    await publishDay()
    expect(statuses(await run())).toEqual(['signed', 'signed', 'signed'])
    expect(at.witnesses[0].requests).toEqual(['old 0', 'old 1'])
  })

  test('a witness whose answer was lost signs the same checkpoint again', async () => {
    await publishDay()
    const [first] = at.witnesses
    first.tamper = (_, response) => {
      first.tamper = null
      setImmediate(() => response.destroy())
      return false
    }
    await run()
    if (!signersOf(checkpoint()).includes('w.example/1')) await run()
    expect(signersOf(checkpoint())).toEqual(ALL)
  })

  test('a run whose outcome nobody listens to asks them and writes the derived files, too', async () => {
    const day = await publishDay()
    await run(policyText(), { isHeard: false })
    expect(signersOf(checkpoint())).toEqual(ALL)
    expect(readFileSync(path('SHA256SUMS'), 'utf8')).toContain(`${day}.json`)
  })

  test('a log without days asks nobody', async () => {
    expect((await run()).outcomes).toEqual([])
  })
})

describe('the lines of witnesses', () => {
  test('they stay when the log gets a new key, and a reader of either key accepts them', async () => {
    await publishDay()
    await run()
    const lines = witnessed(checkpoint())
    await run(policyText(), { rekey: true })
    expect(signersOf(checkpoint())).toEqual([ORIGIN, ...ALL])
    expect(witnessed(checkpoint())).toEqual(lines)
    await run('', { rekey: true })
    expect(signersOf(checkpoint())).toEqual([ORIGIN, ORIGIN, ...ALL])
    expect(await verify(policyText())).toMatchObject({ ok: true, log: { quorum: true } })
  })

  /** What one copy of a checkpoint has of the witnesses 1 and 2; the other has their lines of now. */
  const copies: [what: string, lines: (text: string, at: number) => string[]][] = [
    ['fewer', (text, at) => [first(text, at)]],
    ['other', (text, at) => [first(text, at - 5), second(text, at + 5)]],
    ['no', () => []],
    ['only unknown', (text, at) => [stranger.cosign(text, at)]],
    ['spoilt', (text, at) => [first(text, at), second('another text\n', at)]],
  ]
  const first = (text: string, time: number) => at.witnesses[0].cosign(text, time)
  const second = (text: string, time: number) => at.witnesses[1].cosign(text, time)

  test.each(copies)(
    'of one text, a copy with %s cosignatures takes none away',
    async (what, lines) => {
      await publishDay()
      await run('')
      const note = checkpoint()
      const { text } = parseNote(Buffer.from(note))
      const now = at.workshop.clock.now / 1000
      for (const witness of at.witnesses) witness.tamper = refuse
      const expected = [first(text, now), second(text, what === 'other' ? now + 5 : now)]
      for (const isInFile of [true, false]) {
        const both = [note + lines(text, now).join(''), note + first(text, now) + second(text, now)]
        const [file, inDatabase] = isInFile ? both : both.reverse()
        overwriteFile(path('checkpoint'), file as string)
        await at.workshop.database.write((tx) =>
          writeSetting(tx, LOG_CHECKPOINT, inDatabase as string),
        )
        await run(policyText([1, 2], ANY))
        expect([checkpoint(), (await kept()) as string].map(witnessed)).toEqual([
          expected,
          expected,
        ])
        if (isInFile) expect(checkpoint()).toBe(note + expected.join(''))
      }
      rmSync(path('checkpoint'))
      await run(policyText([1, 2], ANY))
      expect(witnessed(checkpoint())).toEqual(expected)
    },
  )

  inFull('own keys leave a line for each witness, and the newest signs in any case', async () => {
    await publishDay()
    for (let count = 1; count < 13; count += 1) await run('', { rekey: true })
    expect(signersOf(checkpoint())).toHaveLength(13)
    await run()
    await run(policyText(), { rekey: true })
    expect(signersOf(checkpoint())).toEqual([
      ...Array.from({ length: 13 }, () => ORIGIN),
      ...ALL.slice(1),
    ])
    expect(await kept()).toBe(checkpoint())
  })
})

/** Does what a run does after its days are published. */
async function ask(day: string, kill: KillSwitch): Promise<void> {
  const file = join(at.workshop.dir, 'policy')
  writeFileSync(file, policyText())
  const policy = readWitnessPolicy(file)!
  const database = kill.over(at.workshop.database, ['write'])
  const place = kill.over(folderPlace(at.workshop.archiveDir), PLACE_WRITES)
  const config = { ...configIn(at.workshop.dir), defaultLogOrigin: ORIGIN }
  const clock = { now: () => at.workshop.clock.now }
  const { signal } = new AbortController()
  const log = await openDayLog(database, place, config, { witnesses: policy.keys })
  await log.append([day])
  const round = new Witnesses({ database, log, policy, clock, signal })
  await round.ask()
}

test('a run that is killed at any of its writes while it asks loses no signature: the next run has them all', async () => {
  let day = ''
  const work = async (kill: KillSwitch) => {
    day = await publishDay()
    await ask(day, kill)
  }
  const kills = await killAtEveryStep(work, async (label) => {
    await run()
    expect(signersOf(checkpoint()), label).toEqual(ALL)
    expect(await kept(), label).toBe(checkpoint())
    expect(await run(), label).toEqual({ outcomes: [], derived: [] })
  })
  expect(kills).toBeGreaterThan(4)
  expect(await verify(policyText([1, 2, 3], 'group q all'))).toMatchObject({ ok: true })
})
