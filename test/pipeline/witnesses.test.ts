// A run asks the witnesses of WITNESS_POLICY after its days are sealed; what they do never delays or prevents a seal.
// Rules: WRITING.md 5.1-5.6.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { type StartTimer, startTimer } from '../../archive/http/exchange.ts'
import { parseNote } from '../../archive/log/note.ts'
import { parsePolicy } from '../../archive/log/policy.ts'
import { readWitnessPolicy } from '../../archive/log/policy-file.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { openDayLog } from '../../pipeline/log.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { Witnesses, type WitnessOutcome } from '../../pipeline/witnesses/round.ts'
import { LOG_CHECKPOINT } from '../../server/database/records/restored.ts'
import { readSetting, writeSetting } from '../../server/database/settings/settings.ts'
import { readWitnessMemory } from '../../server/database/settings/witness-state.ts'
import { system } from '../../server/system.ts'
import { type Day, makeDay, publish } from '../archive/days.ts'
import { decode } from '../archive/decoding.ts'
import { forge } from '../archive/forger.ts'
import { ORIGIN, testKey, vkeyOf } from '../archive/signing.ts'
import { type Kill, KillSwitch } from '../support/kill-switch.ts'
import { overwriteFile } from '../support/overwrite-file.ts'
import { IN_FULL } from '../support/runs.ts'
import { until } from '../support/time.ts'
import { startWitness, type Witness } from '../support/witness.ts'
import { openWriter } from '../support/writers.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

let workshop: Workshop
let witnesses: [Witness, Witness, Witness]
let newest: Day | null
let number: number

beforeEach(async () => {
  workshop = await openWorkshop()
  newest = null
  number = 0
  const pem = testKey(1).export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(join(workshop.dir, 'signing.key'), pem)
  const start = (index: number) => startWitness(`w.example/${index}`, index + 1, vkeyOf(1))
  witnesses = [await start(1), await start(2), await start(3)]
  for (const witness of witnesses) witness.now = workshop.clock.now / 1000
})
afterEach(async () => {
  for (const witness of witnesses) await witness.close()
  await workshop.close()
})

const path = (name: string) => join(workshop.archiveDir, name)
const checkpoint = () => readFileSync(path('checkpoint'), 'utf8')
const kept = () => readSetting(workshop.database.db, LOG_CHECKPOINT)

/** The names of the keys that have signed a note. */
const signersOf = (note: string) => parseNote(Buffer.from(note)).signatures.map(({ name }) => name)
const ANY = 'group q any'
const ALL = [ORIGIN, 'w.example/1', 'w.example/2', 'w.example/3']

/** The policy of the witnesses with these numbers. */
function policyText(numbers = [1, 2, 3], quorum = 'group q 2', log = ''): string {
  const lines = numbers.map((index) => {
    const { vkey, url } = witnesses[index - 1] as Witness
    return `witness w${index} ${vkey} ${url}/\n`
  })
  const names = numbers.map((index) => `w${index}`).join(' ')
  return `${log}${lines.join('')}${quorum} ${names}\nquorum q\n`
}

/** Publishes one more day without logging it, as a run would that was killed. */
async function publishDay(): Promise<string> {
  number += 1
  const day = `2026-11-${String(number).padStart(2, '0')}`
  newest = makeDay(day, newest)
  await publish(await openWriter(workshop.archiveDir, { create: true }), newest)
  return day
}

interface Ran {
  outcomes: WitnessOutcome[]
  /** The names of the derived files that were written. */
  derived: string[]
}

/** Only guards against a hang: on a busy machine an answer may take longer than a run waits. */
const patient: StartTimer = (_, expire) => startTimer(60_000, expire)

/** Runs the pipeline once, and lets the time of the first witness run out once the others have answered. */
async function runWithout(hold: (response: ServerResponse) => void): Promise<Ran> {
  const running = new Set<() => void>()
  const timer: StartTimer = (_, expire) => {
    running.add(expire)
    return { refresh() {}, stop: () => running.delete(expire) }
  }
  witnesses[0].tamper = (_, response) => {
    hold(response)
    return true
  }
  const ran = run(policyText(), { timer })
  // Each request has a timer of its own, next to that of its witness.
  await until(() => witnesses.every(({ requests }) => requests.length > 0) && running.size === 2)
  for (const expire of [...running]) expire()
  return ran
}

/** Runs the pipeline once. It logs and signs the published days. */
async function run(
  policy = policyText(),
  {
    rekey = false,
    timer = patient,
    isHeard = true,
  }: { rekey?: boolean; timer?: StartTimer; isHeard?: boolean } = {},
): Promise<Ran> {
  const file = join(workshop.dir, 'policy')
  writeFileSync(file, policy)
  const ran: Ran = { outcomes: [], derived: [] }
  const config = {
    logOrigin: undefined,
    defaultLogOrigin: ORIGIN,
    signingKeyFile: join(workshop.dir, 'signing.key'),
    witnessPolicy: policy === '' ? null : readWitnessPolicy(file),
    database: join(workshop.dir, 'daysignal.sqlite'),
    archive: { dir: workshop.archiveDir },
    dataDir: workshop.dir,
    cacheDir: join(workshop.dir, '.cache'),
    ffmpegSearch: {},
    nodeVersion: '24.0.0',
    renderConcurrency: 1,
  }
  const context = {
    clock: { ...system.clock, now: () => workshop.clock.now },
    random: () => 0.5,
    warn() {},
    signal: new AbortController().signal,
    onProgress() {},
    rekey,
    witnessClient: { startTimer: timer },
    ...(isHeard && {
      onWitnesses: (outcomes: WitnessOutcome[]) => ran.outcomes.push(...outcomes),
      onDerived: (names: string[]) => ran.derived.push(...names),
    }),
  }
  await withPipeline(config, context, async () => {})
  return ran
}

const statuses = ({ outcomes }: Ran) => outcomes.map(({ status }) => status)

/** Verifies the archive as a reader with a policy does. */
const verify = (policy: string) =>
  verifyArchive(folderPlace(workshop.archiveDir), {
    decode,
    quick: true,
    log: {
      pauseMs: 0,
      witnesses: { policy: parsePolicy(Buffer.from(policy)), now: workshop.clock.now },
    },
  })

/** Lets a witness answer every request of a kind with this. */
function answerWith(
  witness: Witness,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  witness.tamper = (request, response) => {
    if (request.method !== 'POST') return false
    response.writeHead(status, headers).end(body)
    return true
  }
}

const SIZE = { 'content-type': 'text/x.tlog.size' }

describe('witnesses that work', () => {
  test('all are asked once, and their lines follow the log own in the order of the policy, in the database too', async () => {
    await publishDay()
    expect(statuses(await run(policyText([3, 1, 2])))).toEqual(['signed', 'signed', 'signed'])
    expect(signersOf(checkpoint())).toEqual([ORIGIN, 'w.example/3', 'w.example/1', 'w.example/2'])
    expect(await kept()).toBe(checkpoint())
    for (const witness of witnesses) expect(witness.requests).toEqual(['old 0'])
    const log = `log ${vkeyOf(1)}\n`
    expect(await verify(policyText([1, 2, 3], 'group q all', log))).toMatchObject({
      ok: true,
      log: { quorum: true, key_checked: true },
    })
    expect(await run(policyText([3, 1, 2]))).toEqual({ outcomes: [], derived: [] })
  })

  test('from each size to each later one, a witness accepts the proof that the log continues', async () => {
    for (let size = 1; size <= 9; size += 1) {
      await publishDay()
      for (const [index, witness] of witnesses.entries())
        witness.tamper = size % (index + 1) === 0 ? null : refuse
      await run()
      const signed = ALL.filter((_, index) => index === 0 || size % index === 0)
      expect(signersOf(checkpoint())).toEqual(signed)
    }
    expect(witnesses[1].requests).toContain('old 6')
  })

  test('a witness that knows another size than is remembered is followed', async () => {
    await publishDay()
    await run()
    for (const witness of witnesses) witness.requests.length = 0
    await workshop.database.write((tx) =>
      writeSetting(tx, 'log.witnesses', JSON.stringify({ sizes: {}, claims: {} })),
    )
    await publishDay()
    expect(statuses(await run())).toEqual(['signed', 'signed', 'signed'])
    expect(witnesses[0].requests).toEqual(['old 0', 'old 1'])
  })

  test('a witness whose answer was lost signs the same checkpoint again', async () => {
    await publishDay()
    const [first] = witnesses
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
    expect(readFileSync(path(`${day}/${day}.tlog-proof`), 'utf8')).toContain(checkpoint())
    expect(readFileSync(path('SHA256SUMS'), 'utf8')).toContain(`${day}.json`)
  })

  test('a log without days asks nobody', async () => {
    expect((await run()).outcomes).toEqual([])
  })
})

const refuse = (_: unknown, response: ServerResponse) => {
  response.writeHead(503).end()
  return true
}

describe('proofs of days', () => {
  test('a proof is written after the first round, and once more when its checkpoint has its quorum', async () => {
    const day = await publishDay()
    for (const witness of witnesses) witness.tamper = refuse
    const name = `${day}/${day}.tlog-proof`
    expect((await run()).derived).toContain(name)
    expect(readFileSync(path(name), 'utf8')).toContain(checkpoint())
    witnesses[0].tamper = null
    expect((await run()).derived).toEqual([])
    witnesses[1].tamper = null
    expect((await run()).derived).toEqual([name])
    expect(signersOf(checkpoint())).toEqual(ALL.slice(0, 3))
    expect(readFileSync(path(name), 'utf8')).toContain(checkpoint())
    witnesses[2].tamper = null
    expect((await run()).derived).toEqual([])
    expect(signersOf(checkpoint())).toEqual(ALL)
    expect(await verify(policyText())).toMatchObject({ ok: true })
  })

  test('the proof of an earlier day keeps its checkpoint', async () => {
    const day = await publishDay()
    for (const witness of witnesses) witness.tamper = refuse
    await run()
    const before = readFileSync(path(`${day}/${day}.tlog-proof`))
    await publishDay()
    for (const witness of witnesses) witness.tamper = null
    await run()
    expect(readFileSync(path(`${day}/${day}.tlog-proof`))).toEqual(before)
  })
})

describe('the lines of witnesses', () => {
  test('they stay when the log gets a new key, and a reader of either key accepts them', async () => {
    await publishDay()
    await run()
    const lines = checkpoint()
      .split('\n')
      .filter((line) => line.includes('w.example'))
    await run(policyText(), { rekey: true })
    expect(signersOf(checkpoint())).toEqual([ORIGIN, ...ALL])
    expect(
      checkpoint()
        .split('\n')
        .filter((line) => line.includes('w.example')),
    ).toEqual(lines)
    await run('', { rekey: true })
    expect(signersOf(checkpoint())).toEqual([ORIGIN, ORIGIN, ...ALL])
    expect(await verify(policyText())).toMatchObject({ ok: true, log: { quorum: true } })
  })

  test('those of the file and of the database are united', async () => {
    await publishDay()
    await run(policyText([1], ANY))
    const older = checkpoint()
    await run(policyText([1, 2], ANY))
    const newer = checkpoint()
    await workshop.database.write((tx) => writeSetting(tx, LOG_CHECKPOINT, older))
    witnesses[1].tamper = refuse
    await run(policyText([1, 2], ANY))
    expect([checkpoint(), await kept()]).toEqual([newer, newer])
    overwriteFile(path('checkpoint'), older)
    await run(policyText([1, 2], ANY))
    expect([checkpoint(), await kept()]).toEqual([newer, newer])
    rmSync(path('checkpoint'))
    await run(policyText([1, 2], ANY))
    expect(checkpoint()).toBe(newer)
  })

  test('a line that does not verify, or is by an unknown key in the file alone, is not taken', async () => {
    await publishDay()
    await run(policyText([1], ANY))
    const good = checkpoint()
    const stranger = await startWitness('stranger.example', 9, vkeyOf(1))
    const bad = witnesses[1].cosign('another text\n')
    const { text } = parseNote(Buffer.from(good))
    overwriteFile(path('checkpoint'), good + bad + stranger.cosign(text, 1))
    await stranger.close()
    witnesses[1].tamper = refuse
    await run(policyText([1, 2], ANY))
    expect([checkpoint(), await kept()]).toEqual([good, good])
  })

  test('own keys leave a line for each witness, and the newest signs in any case', async () => {
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

describe('witnesses that fail', () => {
  type Fault = [name: string, fault: (witness: Witness) => unknown, message: RegExp]
  const FAULTS: Fault[] = [
    ['refuses connections', (witness) => witness.close(), /^no answer/],
    ['answers 503', (witness) => answerWith(witness, 503, ''), /^answers 503$/],
    ['answers 404', (witness) => answerWith(witness, 404, ''), /^does not know this log|answers/],
    ['redirects', (witness) => answerWith(witness, 307, '', { location: '/x' }), /^answers 307$/],
    ['answers without a line', (witness) => answerWith(witness, 200, ''), /without a cosignature/],
    ['answers with a page', (witness) => answerWith(witness, 200, '<p>'), /without a cosignature/],
    [
      'signs another text',
      (witness) => answerWith(witness, 200, witness.cosign('another\n')),
      /without a cosignature/,
    ],
    [
      'answers with the line of another key',
      (witness) => {
        witness.tamper = (_, response, body) => {
          const text = `${body.split('\n\n')[1]}\n`
          response.writeHead(200).end(witnesses[1].cosign(text))
          return true
        }
      },
      /without a cosignature/,
    ],
    ['signs with the time of yesterday', (witness) => (witness.now -= 86_400), /10 minutes/],
    ['signs with a time 11 minutes ahead', (witness) => (witness.now += 660), /10 minutes/],
    [
      'answers with more than 64 KiB',
      (witness) => answerWith(witness, 200, Buffer.alloc(70_000, 'x')),
      /more than 65536 bytes/,
    ],
    [
      'answers 409 without a type',
      (witness) => answerWith(witness, 409, '0\n'),
      /without the size/,
    ],
    ...(IN_FULL ? ['', '0', ' 0\n', '00\n', '0\n\n', '1e0\n', '-1\n', '0x1\n'] : ['0']).map(
      (body): Fault => [
        `answers 409 with ${JSON.stringify(body)}`,
        (witness) => answerWith(witness, 409, body, SIZE),
        /without the size/,
      ],
    ),
    [
      'answers 409 without end',
      (witness) => answerWith(witness, 409, '0\n', SIZE),
      /^answers 409 to 3 requests$/,
    ],
  ]
  test.each(FAULTS)('a witness that %s prevents nothing', async (_, fault, message) => {
    const day = await publishDay()
    await publishDay()
    await fault(witnesses[0])
    const ran = await run()
    expect(statuses(ran)).toEqual(['failed', 'signed', 'signed'])
    expect(ran.outcomes[0]?.message).toMatch(message)
    expect(witnesses[0].requests.length).toBeLessThanOrEqual(4)
    expect(signersOf(checkpoint())).toEqual([ORIGIN, 'w.example/2', 'w.example/3'])
    expect(ran.derived).toContain(`${day}/${day}.tlog-proof`)
    expect(await verify(policyText())).toMatchObject({ ok: true })
    await publishDay()
    await run()
    expect(signersOf(checkpoint()).slice(-2)).toEqual(['w.example/2', 'w.example/3'])
  })

  test('a witness that never answers is given up', async () => {
    await publishDay()
    const ran = await runWithout(() => {})
    expect(ran.outcomes[0]).toMatchObject({ status: 'failed', message: 'no answer within 10 s' })
    expect(signersOf(checkpoint()).slice(-2)).toEqual(['w.example/2', 'w.example/3'])
  })

  test('a witness that never ends its answer is given up', async () => {
    await publishDay()
    const ran = await runWithout((response) => response.writeHead(200).write('—'))
    expect(ran.outcomes[0]).toMatchObject({ status: 'failed', message: 'no answer within 10 s' })
  })

  test('of an answer of 100 MiB no more is read than is allowed', async () => {
    await publishDay()
    let isClosed = false
    witnesses[0].tamper = (_, response) => {
      response.on('close', () => {
        isClosed = !response.writableFinished
      })
      Readable.from(Array.from({ length: 1600 }, () => Buffer.alloc(65_536, 'x'))).pipe(
        response.writeHead(200),
      )
      return true
    }
    const ran = await run()
    expect(ran.outcomes[0]?.message).toMatch(/more than 65536 bytes/)
    await until(() => isClosed)
  })
})

describe('a run that is killed while it asks', () => {
  const OPERATIONS = ['put', 'replace', 'remove'] as const

  /** Does what a run does after its days are published. @returns whether it was killed */
  async function ask(day: string, kill: Kill): Promise<boolean> {
    const file = join(workshop.dir, 'policy')
    writeFileSync(file, policyText())
    const policy = readWitnessPolicy(file)!
    const faults = new KillSwitch(kill)
    const database = faults.over(workshop.database, ['write'])
    const place = faults.over(folderPlace(workshop.archiveDir), OPERATIONS)
    const config = {
      logOrigin: undefined,
      defaultLogOrigin: ORIGIN,
      signingKeyFile: join(workshop.dir, 'signing.key'),
    }
    const clock = { now: () => workshop.clock.now }
    const { signal } = new AbortController()
    try {
      const log = await openDayLog(database, place, config, { witnesses: policy.keys })
      await log.append([day])
      const round = new Witnesses({ database, log, policy, clock, signal })
      await round.ask()
      await log.writeProofs(undefined, round.hasQuorum)
      return false
    } catch (error) {
      expect((error as Error).message).toBe('killed')
      return true
    }
  }

  test.each(['before', 'after'] as const)(
    'at any of its writes (%s it) loses no signature: the next run has them all, and the proof',
    async (moment) => {
      for (let at = 0, isKilled = true; isKilled; at += 1) {
        const day = await publishDay()
        isKilled = await ask(day, { at, moment })
        await run()
        expect([at, signersOf(checkpoint())]).toEqual([at, ALL])
        expect(await kept()).toBe(checkpoint())
        expect(readFileSync(path(`${day}/${day}.tlog-proof`), 'utf8')).toContain(checkpoint())
        expect(await run()).toEqual({ outcomes: [], derived: [] })
      }
      expect(number).toBeGreaterThan(5)
      expect(await verify(policyText([1, 2, 3], 'group q all'))).toMatchObject({ ok: true })
    },
  )
})

describe('witnesses that claim to know another log', () => {
  test.each([
    ['a size above ours', 409, '9\n'],
    ['422', 422, ''],
  ])('%s is a claim, which alone stops nothing and is remembered', async (_, status, body) => {
    await publishDay()
    answerWith(witnesses[0], status, body, SIZE)
    const ran = await run()
    expect(statuses(ran)).toEqual(['claims', 'signed', 'signed'])
    expect(Object.values((await readWitnessMemory(workshop.database.db)).claims)).toMatchObject([
      { name: 'w1', at: workshop.clock.now, fork: null },
    ])
    await publishDay()
    expect(statuses(await run())).toEqual(['claims', 'signed', 'signed'])
    witnesses[0].tamper = null
    expect(statuses(await run())).toEqual(['signed'])
    expect((await readWitnessMemory(workshop.database.db)).claims).toEqual({})
  })

  test.each([
    ['with this size', '1\n', SIZE],
    ['with nothing, as for another root of the same size', '', {}],
  ])('409 to a request from our size is a claim, %s', async (_, body, headers) => {
    await publishDay()
    witnesses[0].tamper = (request, response, sent) => {
      if (request.method !== 'POST') return false
      const isFirst = sent.startsWith('old 0')
      response.writeHead(409, isFirst ? SIZE : headers).end(isFirst ? '1\n' : body)
      return true
    }
    expect(statuses(await run())).toEqual(['claims', 'signed', 'signed'])
    expect(witnesses[0].requests.slice(0, 2)).toEqual(['old 0', 'old 1'])
    expect(witnesses[0].requests).toHaveLength(3)
  })

  test('so many claims that the others are no quorum stop signing, until they are taken out', async () => {
    await publishDay()
    for (const witness of witnesses.slice(0, 2)) answerWith(witness, 422, '')
    await expect(run()).rejects.toThrow(/^without the witnesses that claim .* \(w1, w2\)/)
    const before = checkpoint()
    await publishDay()
    await expect(run()).rejects.toThrow(/^without the witnesses that claim/)
    expect(checkpoint()).toBe(before)
    await run(policyText([3], 'group q 1'))
    expect(checkpoint()).toMatch(/^.*\n2\n/)
  })

  test('a history that a key of the log has signed stops signing, until that log is restored', async () => {
    await publishDay()
    await run()
    const older = checkpoint()
    await publishDay()
    await run()
    const lost = join(workshop.dir, 'lost')
    cpSync(workshop.archiveDir, lost, { recursive: true })
    const restore = (note: string) =>
      workshop.database.write((tx) => writeSetting(tx, LOG_CHECKPOINT, note))
    // The operator restores older copies, and the second day is made again, otherwise.
    const edit = (snapshot: Snapshot) => Object.assign(snapshot.counters, { messages: '9' })
    await forge(workshop.archiveDir, '2026-11-02', { snapshot: edit }, 'replaced')
    const [line = ''] = readFileSync(path('log'), 'utf8').split(/(?<=\n)/)
    overwriteFile(path('log'), line)
    overwriteFile(path('checkpoint'), older)
    await restore(older)
    await expect(run()).rejects.toThrow(/^witness w1 shows a signed checkpoint of 2 leaves/)
    const stopped = checkpoint()
    await publishDay()
    await expect(run()).rejects.toThrow(/^witness w1 shows a signed checkpoint of 2 leaves/)
    expect(checkpoint()).toBe(stopped)
    rmSync(workshop.archiveDir, { recursive: true })
    cpSync(lost, workshop.archiveDir, { recursive: true })
    await restore(readFileSync(path('checkpoint'), 'utf8'))
    await run()
    await publishDay()
    expect(statuses(await run())).toEqual(['signed', 'signed', 'signed'])
    expect(signersOf(checkpoint())).toEqual(ALL)
  })
})
