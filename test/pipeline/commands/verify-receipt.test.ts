// npm run verify -- --receipt: the steps, verdicts and exit codes, and evidence that convinces somebody else.
// Rules: FORMAT.md 23.2, 23.4; COMMANDS.md 3.2.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { nextDay } from '../../../archive/format/calendar.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { KEY_FILE, leavesKey, manifestKey } from '../../../archive/format/paths.ts'
import { checkpointText } from '../../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, logBytes, parseLog } from '../../../archive/log/days.ts'
import { parseVkey, signNote } from '../../../archive/log/note.ts'
import { type Policy, parsePolicy } from '../../../archive/log/policy.ts'
import { rootOf } from '../../../archive/log/tree.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Step, Verdict } from '../../../archive/verify/receipt-verdict.ts'
import {
  exitCodeOf,
  judgeReceipt,
  readReceiptFiles,
} from '../../../pipeline/commands/verify-receipt.ts'
import { serveFolder } from '../../archive/mirror/signed-archive.ts'
import { ORIGIN, testKey, vkeyOf } from '../../archive/signing.ts'
import { type Act, type History, makeHistory } from '../../archive/verify/histories.ts'
import { childEnvironment } from '../../support/programs.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openServed } from '../../support/served.ts'
import { startWitness } from '../../support/witness.ts'

const CLI = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands', 'verify.ts')
const root = temporaryFolder()
const dir = join(root, 'archive')
const evidence = join(root, 'evidence')
const server = await serveFolder(dir)

beforeEach(() => {
  for (const folder of [dir, evidence]) rmSync(folder, { recursive: true, force: true })
})

/** Writes a history's archive into the folder, and the receipts of the message that the act is about. */
function write(act: Act | null): { history: History; receipts: string[] } {
  const history = makeHistory(random(7), act)
  for (const [key, bytes] of history.files) {
    mkdirSync(dirname(join(dir, key)), { recursive: true })
    writeFileSync(join(dir, key), bytes)
  }
  const own = history.receipts.filter(({ id }) => id === history.target)
  const receipts = own.map(({ note }, i) => {
    const file = join(root, `receipt-${i}`)
    writeFileSync(file, note)
    return file
  })
  return { history, receipts }
}

/** Edits the manifest of the target's day and signs a log with it. @returns the day */
function relog({ receipts, target }: History, edit: (text: string) => string): string {
  const { day } = receipts.find(({ id }) => id === target)!
  const file = join(dir, manifestKey(day))
  const edited = Buffer.from(edit(readFileSync(file, 'utf8')))
  writeFileSync(file, edited)
  const sealed = parseLog(readFileSync(join(dir, 'log')))
  const entries = sealed.map((entry) =>
    entry.day === day ? { day, sha256: sha256Of(edited) } : entry,
  )
  signLog(entries)
  return day
}

function signLog(entries: readonly LogEntry[]): void {
  const root = rootOf(entries.map(dayLeaf))
  const text = checkpointText({ origin: ORIGIN, size: entries.length, root })
  writeFileSync(join(dir, 'log'), logBytes(entries))
  const signed = signNote(text, [{ name: ORIGIN, privateKey: testKey(1) }])
  writeFileSync(join(dir, 'checkpoint'), signed)
}

async function judge(
  receipts: string[],
  { now }: Pick<History, 'now'>,
  options: { at?: string; keys?: string[]; policy?: Policy; keep?: string } = {},
) {
  const steps: string[] = []
  const { at = dir, keys, policy, keep } = options
  const place = at.startsWith('http') ? await openServed(at) : folderPlace(at)
  const files = readReceiptFiles({ receipts, message: undefined, text: undefined })
  const onStep = ({ step, ok, message }: Step) =>
    void steps.push(`${ok ? 'good' : 'bad'} ${step}: ${message}`)
  const judging = { keys: keys?.map(parseVkey), policy, now, onStep }
  const { verdict, sentence, evidence: named } = await judgeReceipt(place, files, judging, keep)
  return { verdict, sentence, code: exitCodeOf(verdict), named, steps }
}

let written: ReturnType<typeof write>

describe('a verdict', () => {
  test('a kept promise is shown step by step', async () => {
    const { history, receipts } = write(null)
    const { verdict, sentence, code, steps } = await judge(receipts, history)
    expect([verdict, code]).toEqual(['kept', 0])
    expect(sentence).toBe(
      `This message is the 3rd of 4 in 2026-11-03, sealed at 00:05:00 UTC and signed by ${ORIGIN}.`,
    )
    expect(steps.map((line) => line.replace(/:.*/, ''))).toEqual([
      'good receipt',
      'good log',
      'good manifest',
      'good records',
      'good kept',
    ])
    expect(steps[0]).toMatch(/signed by .*; the key itself was not checked$/)
    expect((await judge(receipts, history, { keys: [vkeyOf(1)] })).steps[0]).not.toMatch(/checked/)
  })

  test('the same is found at a plain file server', async () => {
    const { history, receipts } = write('edit')
    const here = await judge(receipts, history)
    expect(here.verdict).toBe('broken')
    expect(await judge(receipts, history, { at: server.url })).toEqual(here)
  })

  test('a day that is not sealed is pending until 36 hours after its end, and late then', async () => {
    const { history, receipts } = write(null)
    const { day } = history.receipts.find(({ id }) => id === history.target)!
    for (const name of readdirSync(dir))
      if (name !== KEY_FILE) rmSync(join(dir, name), { recursive: true })
    const end = Date.parse(`${day}T24:00:00Z`)
    const at = (now: number) => judge(receipts, { now })
    const by = `it is to be sealed by 12:00:00 UTC on ${nextDay(nextDay(day))} at the latest.`
    expect((await at(end - 1)).sentence).toBe(
      `The promise holds so far: ${day} is not over yet, and ${by}`,
    )
    expect((await at(end)).sentence).toBe(
      `The promise holds so far: ${day} is not sealed yet, and ${by}`,
    )
    expect((await at(end - 1)).steps.at(-1)).toMatch(
      `bad pending: ${day} is not over; it is overdue after`,
    )
    expect((await at(end)).steps.at(-1)).toMatch(
      'bad pending: there is no log yet; it is overdue after',
    )
    const late = await at(end + 36 * 3_600_000 + 1)
    expect([late.verdict, late.code]).toEqual(['late', 75])
    expect(late.sentence).toBe(
      `This message is late: by your clock it was promised by 12:00:00 UTC on ${nextDay(nextDay(day))}, and this copy does not have ${day}.`,
    )
    expect(late.steps.at(-1)).toMatch(/by your clock it is overdue since .*: fetch a fresh copy$/)
  })

  test('a day before that of the first leaf is late, and never overdue', async () => {
    const { history, receipts } = write(null)
    const { day } = history.receipts.find(({ id }) => id === history.target)!
    const later = parseLog(readFileSync(join(dir, 'log'))).filter((entry) => entry.day > day)
    signLog(later)
    const { verdict, sentence, steps } = await judge(receipts, history)
    expect(verdict).toBe('late')
    expect(sentence).toBe(
      `This message is late: this log begins with ${later[0]!.day}, and no deadline holds for ${day}, which is before that.`,
    )
    expect(steps.at(-1)).toBe(
      `bad late: ${day} is not in the log, which begins with ${later[0]!.day}; no deadline holds for a day before that: fetch a fresh copy`,
    )
  })

  test('witnesses that sign after the deadline show that a day is overdue', async () => {
    const { history, receipts } = write(null)
    const target = history.receipts.find(({ id }) => id === history.target)!
    for (const name of readdirSync(dir))
      if (name.startsWith('2026')) rmSync(join(dir, name), { recursive: true })
    const entries = [{ day: '2026-11-01', sha256: 'a'.repeat(64) }]
    const root = dayLeaf(entries[0]!)
    const text = checkpointText({ origin: ORIGIN, size: 1, root })
    const witness = await startWitness('w.example', 2, vkeyOf(1))
    const policyText = `witness w ${witness.vkey}\ngroup all all w\nquorum all\n`
    const policy = parsePolicy(Buffer.from(policyText))
    const deadline = Date.parse(`${target.day}T24:00:00Z`) + 36 * 3_600_000
    const verdictAt = async (cosignedAt: number) => {
      const note = signNote(text, [{ name: ORIGIN, privateKey: testKey(1) }])
      writeFileSync(join(dir, 'log'), logBytes(entries))
      writeFileSync(join(dir, 'checkpoint'), note + witness.cosign(text, cosignedAt / 1000))
      return judge(receipts, { now: deadline + 1000 }, { policy, keep: evidence })
    }
    expect((await verdictAt(deadline)).verdict).toBe('late')
    expect(await verdictAt(deadline + 1000)).toMatchObject({
      verdict: 'overdue',
      sentence: `This message is overdue: the log shows that ${target.day} was not sealed by 12:00:00 UTC on ${nextDay(nextDay(target.day))}, as promised.`,
    })
    expect(readdirSync(evidence).sort()).toEqual([
      `${target.id}.receipt`,
      'checkpoint',
      'key',
      'log',
    ])
  })

  const renumbered = (text: string) =>
    text.replace('"manifest_version": 1', '"manifest_version": 99')
  test.each<[string, Verdict, RegExp, RegExp, () => ReturnType<typeof judge>]>([
    [
      'a receipt by another key than the one given',
      'refuted',
      /^The receipt is not signed by a known key of the log\.$/,
      /^bad refuted: the receipt: is not signed by a known key$/,
      () => judge(written.receipts, written.history, { keys: [vkeyOf(2)] }),
    ],
    [
      'a publication after its receipt, or after now',
      'untimely',
      /^This message is not promised in time: its receipt dates it \d\d:\d\d:\d\d UTC on 2026-11-0\d, ahead of the clock\.$/,
      /its day does not come in time: it states .*, and it is 1970-01-01/,
      () => judge(written.receipts, { now: 0 }),
    ],
    [
      'a manifest of a later version',
      'refuted',
      /^This archive does not tell what became of this message: /,
      /manifest_version: is 99, and this program reads versions up to 1/,
      () => {
        relog(written.history, renumbered)
        return judge(written.receipts, written.history)
      },
    ],
  ])('%s accuses nobody, and is %s', async (_, expected, said, last, work) => {
    written = write(null)
    const { verdict, sentence, code, steps } = await work()
    expect([verdict, code]).toEqual([expected, 1])
    expect(sentence).toMatch(said)
    expect(steps.at(-1)).toMatch(last)
  })

  test.each<[string, RegExp, (text: string) => string]>([
    [
      'names another snapshot than it embeds',
      /names another/,
      (text) => text.replace(/"sha256": "./, '"sha256": "0'),
    ],
    ['is of another day', /is of 2026-10-/, (text) => text.replaceAll('2026-11-', '2026-10-')],
    ['is not a manifest', /broken: .*manifest.json: /, () => '{}\n'],
  ])('a day is broken if the manifest in its log %s', async (_, said, edit) => {
    const { history, receipts } = write(null)
    const target = relog(history, edit)
    const { verdict, sentence, named, steps } = await judge(receipts, history)
    expect([verdict, named.at(-1)]).toEqual(['broken', manifestKey(target)])
    expect(sentence).toBe(
      `The promise was broken: ${target} was sealed with a manifest that breaks the rules.`,
    )
    expect(steps.join('\n')).toMatch(said)
  })

  test('leaves that are not to be had are withheld, and a server that fails decides nothing', async () => {
    const { history, receipts } = write('withhold leaves')
    const { verdict, sentence, code, named } = await judge(receipts, history)
    expect([verdict, code, named]).toEqual(['withheld', 1, []])
    expect(sentence).toMatch(
      /^This message is withheld: 2026-11-0\d is sealed, but what shows whether this message is in it is not there\.$/,
    )
    server.tamper = (request, response) => {
      if (!request.url?.endsWith('.leaves')) return false
      response.writeHead(403).end()
      return true
    }
    expect((await judge(receipts, history, { at: server.url })).verdict).toBe('refuted')
    server.tamper = null
  })
})

describe('evidence', () => {
  test.each<[Act, RegExp, RegExp[]]>([
    [
      'drop',
      /^The promise was broken: 2026-11-0\d was sealed without this message\.$/,
      [/^\d+\.receipt$/, /^log$/, /^checkpoint$/, /^key$/, /manifest\.json$/],
    ],
    [
      'never seal',
      /^This message is overdue: the log shows that 2026-11-0\d was not sealed by /,
      [/^\d+\.receipt$/, /^log$/, /^checkpoint$/, /^key$/],
    ],
    [
      'issue twice',
      /^The promise was broken: two receipts of message \d+ are signed, and they differ\.$/,
      [/^\d+\.receipt$/, /^\d+-2\.receipt$/, /^key$/],
    ],
  ])('the evidence of "%s" convinces whoever has nothing else', async (act, sentence, names) => {
    const { history, receipts } = write(act)
    const found = await judge(receipts, history, { keep: evidence })
    expect(found.code).toBe(1)
    expect(found.sentence).toMatch(sentence)
    for (const [i, name] of names.entries()) expect(found.named[i]).toMatch(name)
    rmSync(dir, { recursive: true })
    const copies = found.named.filter((name) => name.endsWith('.receipt'))
    const own = copies.map((name) => join(evidence, name))
    const again = await judge(own, history, { at: evidence })
    expect(again.verdict).toBe(found.verdict)
    // Keeping it twice changes nothing.
    expect((await judge(own, history, { at: evidence, keep: evidence })).verdict).toBe(
      found.verdict,
    )
    // Nor does it need the key of the log, if the reader has given it.
    rmSync(join(evidence, KEY_FILE))
    const keys = [vkeyOf(1)]
    expect(await judge(own, history, { at: evidence, keys })).toMatchObject({
      verdict: found.verdict,
      code: 1,
    })
    expect((await judge(own, history, { at: evidence })).steps).toEqual([
      'bad refuted: key: is missing',
    ])
  })

  test('a file in the folder is never replaced', async () => {
    const { history, receipts } = write('drop')
    mkdirSync(evidence)
    writeFileSync(join(evidence, 'log'), 'mine\n')
    const kept = judge(receipts, history, { keep: evidence })
    await expect(kept).rejects.toThrow(
      `${join(evidence, 'log')}: is another file; name an empty folder`,
    )
  })

  test('an honest operator leaves nothing to keep', async () => {
    const { history, receipts } = write(null)
    await judge(receipts, history, { keep: evidence })
    expect(readdirSync(root)).not.toContain('evidence')
  })
})

// What else breaks a rule is in archive/vectors/receipt.json.
test.each([
  ['binary', Buffer.alloc(1000, 0xff)],
  ['empty', ''],
])('a receipt that is %s is refuted in one line', async (_, bytes) => {
  const { history } = write(null)
  const file = join(root, 'bad')
  writeFileSync(file, bytes)
  const { verdict, sentence, code, steps } = await judge([file], history, { keep: evidence })
  expect([verdict, code, steps.length]).toEqual(['refuted', 1, 1])
  expect(sentence).toBe('This is not a valid receipt.')
  expect(readdirSync(root)).not.toContain('evidence')
})

test('the command prints the verdict in a sentence and the steps, and exits with its code', () => {
  const { receipts } = write('edit')
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, '--receipt', receipts[0]!, ...args, dir], {
      cwd: root,
      env: childEnvironment({}),
      encoding: 'utf8',
    })
  const people = run('--evidence', evidence)
  expect(people.stderr).toBe('')
  expect(people.stdout).toMatch(
    /^The promise was broken: 2026-11-0\d was sealed with something else in place of this message\.\ngood receipt: of message .*\n(good .*\n)+bad {2}broken: .*\ngood evidence: /,
  )
  expect(people.status).toBe(1)
  const program = JSON.parse(run('--json').stdout)
  expect(program).toMatchObject({ ok: false, verdict: 'broken' })
  expect(program.evidence.some((name: string) => name === leavesKey(name.slice(0, 10)))).toBe(true)
})
