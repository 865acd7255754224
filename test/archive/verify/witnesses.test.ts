// verify and mirror demand the signatures of a policy: which cosignatures count, and when a quorum must be there.
// Rules: FORMAT.md 25.3-25.4; COMMANDS.md 4.3.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  formatVkey,
  parseNote,
  parseVkey,
  signNote,
  verifierOf,
} from '../../../archive/log/note.ts'
import { parsePolicy } from '../../../archive/log/policy.ts'
import { isPending } from '../../../archive/verify/findings.ts'
import type { LogOptions } from '../../../archive/verify/log.ts'
import { startWitness, type Witness } from '../../support/witness.ts'
import { verified } from '../decoding.ts'
import { codesOf, mirrorFixture, put } from '../mirror/mirror-fixture.ts'
import { filesIn } from '../mirror/signed-archive.ts'
import { ORIGIN, testKey, vkeyOf } from '../signing.ts'

/** The end of the newest day. */
const END = Date.parse('2026-11-03T00:00:00Z')
const HOUR = 3_600_000
const SIGNED = END / 1000 + 60

const at = mirrorFixture()

const log = vkeyOf(1)
/** The key of another log. */
const OTHER = formatVkey(verifierOf('other.example', testKey(9)))
const witnesses: [Witness, Witness] = [
  await startWitness('w.example/1', 2, log),
  await startWitness('w.example/2', 3, log),
]
const policy: string = `witness w1 ${witnesses[0].vkey}\nwitness w2 ${witnesses[1].vkey}\ngroup both all w1 w2\n`
afterAll(() => Promise.all(witnesses.map((witness) => witness.close())))

let text: string
let note: string
beforeEach(() => {
  note = readFileSync(join(at.source, 'checkpoint'), 'utf8')
  text = parseNote(Buffer.from(note)).text
})

/** Adds lines to the checkpoint of the source. */
const sign = (...lines: string[]) => put(at.source, 'checkpoint', note + lines.join(''))
const [byFirst, bySecond] = [0, 1].map(
  (index) =>
    (time = SIGNED) =>
      witnesses[index]?.cosign(text, time) ?? '',
) as [(time?: number) => string, (time?: number) => string]

const demandOf = (text: string, now = END + HOUR) => ({
  policy: parsePolicy(Buffer.from(text)),
  now,
})
const demand = (quorum: string, now?: number, logs = '') =>
  demandOf(`${logs}${policy}quorum ${quorum}\n`, now)

const verifyBy = (witnesses: ReturnType<typeof demand>, log: LogOptions = {}) =>
  verified(at.source, { quick: true, log: { ...log, witnesses } })

const verify = (quorum: string, now?: number, logs?: string) => verifyBy(demand(quorum, now, logs))

describe('verify with a policy', () => {
  test('a quorum that has signed is good, and the report says who signed when', async () => {
    sign(byFirst(), bySecond(SIGNED + 5))
    const { ok, findings, log } = await verify('both')
    expect({ ok, findings }).toEqual({ ok: true, findings: [] })
    expect(log).toMatchObject({
      quorum: true,
      key_checked: false,
      witnesses: [
        { name: 'w1', signed_at: '2026-11-03T00:01:00.000Z', shortfall: null },
        { name: 'w2', signed_at: '2026-11-03T00:01:05.000Z', shortfall: null },
      ],
    })
    const [first] = witnesses[0].vkey.split(/\+(?=[^+]*$)/)
    expect(log?.witnesses?.[0]?.key).toBe(first)
  })

  test('a missing quorum is pending until 36 hours after the end of the newest day, then a fault', async () => {
    sign(byFirst())
    const early = await verify('both', END + 36 * HOUR - 1)
    expect(early).toMatchObject({ ok: false, findings: [{ code: 'quorum_pending' }] })
    expect(isPending(early)).toBe(true)
    const late = await verify('both', END + 36 * HOUR)
    expect(late).toMatchObject({ ok: false, findings: [{ code: 'no_quorum', file: 'checkpoint' }] })
    expect(isPending(late)).toBe(false)
    expect(await verify('w1', END + 1000 * HOUR)).toMatchObject({ ok: true })
    expect(await verify('none', END + 1000 * HOUR)).toMatchObject({ ok: true })
  })

  test.each([
    ['before the newest day had ended', END / 1000 - 1, 'early'],
    ['at its end', END / 1000, null],
    ['10 minutes after now', (END + HOUR) / 1000 + 600, null],
    ['more than 10 minutes after now', (END + HOUR) / 1000 + 601, 'late'],
    ['beyond every calendar', 2 ** 52, 'late'],
  ])('a cosignature made %s counts only between the day and now', async (_, time, shortfall) => {
    sign(byFirst(time))
    const { ok, log } = await verify('w1')
    expect(log?.witnesses?.[0]).toMatchObject({ name: 'w1', shortfall })
    expect({ ok, quorum: log?.quorum }).toEqual({
      ok: shortfall === null,
      quorum: shortfall === null,
    })
  })

  test('a cosignature that does not verify spoils the note', async () => {
    sign(witnesses[0].cosign('another text\n', SIGNED), bySecond())
    const { ok, findings } = await verify('w2')
    expect(ok).toBe(false)
    expect(findings).toMatchObject([{ code: 'wrong_signature', file: 'checkpoint' }])
  })

  test('the logs of a policy count as keys, and one without this log is an unknown signer', async () => {
    expect(await verify('none', END, `log ${vkeyOf(1)}\n`)).toMatchObject({
      ok: true,
      log: { key_checked: true },
    })
    for (const key of [vkeyOf(2), OTHER])
      expect(await verify('none', END, `log ${key}\n`)).toMatchObject({
        ok: false,
        findings: [{ code: 'unknown_signer' }],
      })
    const both = await verify('none', END, `log ${OTHER}\nlog ${vkeyOf(1)}\n`)
    expect(both).toMatchObject({ ok: true, log: { key_checked: true } })
    const elsewhere = demand('none', END, `log ${OTHER}\n`)
    expect(await verifyBy(elsewhere, { keys: [parseVkey(log)] })).toMatchObject({ ok: false })
  })

  test('keys of ML-DSA-44 are read and do not count', async () => {
    const vectors = readFileSync('archive/vectors/policy.json', 'utf8')
    const [, vkey = ''] = /witness pq (\S+)\\n/.exec(vectors) ?? []
    const [name = '', id = ''] = vkey.split('+')
    const line = `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), Buffer.alloc(2428, 1)]).toString('base64')}\n`
    sign(line)
    const report = await verifyBy(demandOf(`witness pq ${vkey}\nquorum pq\n`))
    expect(report).toMatchObject({ ok: false, findings: [{ code: 'quorum_pending' }] })
    expect(report.log?.witnesses).toMatchObject([
      { name: 'pq', signed_at: null, shortfall: 'unverified' },
    ])
  })
})

describe('mirror with a policy', () => {
  const mirror = (quorum: string, now?: number, logs?: string) =>
    at.mirror({ witnesses: demand(quorum, now, logs) })

  test('a mirror takes days without a quorum for 36 hours, and refuses them then', async () => {
    sign(byFirst())
    const early = await mirror('both', END + 35 * HOUR)
    expect({ ok: early.ok, codes: codesOf(early), updated: early.updated }).toEqual({
      ok: false,
      codes: ['quorum_pending'],
      updated: 2,
    })
    at.expectOriginBytes()
    expect(await mirror('w1', END + 100 * HOUR)).toMatchObject({ ok: true, findings: [] })
    await at.publishThird()
    const late = await mirror('both', END + 100 * HOUR)
    expect({ codes: codesOf(late), updated: late.updated }).toEqual({
      codes: ['no_quorum'],
      updated: 0,
    })
    expect(readFileSync(join(at.dir, 'checkpoint'), 'utf8')).toBe(note + byFirst())
    expect(readdirSync(join(at.dir, '.refused')).sort()).toMatchObject([
      expect.stringMatching(/^checkpoint\./),
      expect.stringMatching(/^log\./),
    ])
  })

  test('a mirror trusts the logs of its policy in later runs, too', async () => {
    const other = mkdtempSync(join(at.root, 'other-'))
    await at.mirror({ dir: join(other, 'm'), witnesses: demand('none', END, `log ${vkeyOf(1)}\n`) })
    expect(JSON.parse(readFileSync(join(other, 'm', 'mirror.json'), 'utf8')).keys).toEqual([
      vkeyOf(1),
    ])
    expect(codesOf(await mirror('none', END, `log ${vkeyOf(2)}\n`))).toEqual(['unknown_signer'])
  })

  /** Nine lines by keys that nobody knows. */
  const junk = () =>
    Array.from({ length: 9 }, (_, index) => {
      const bytes = Buffer.alloc(76, index + 1)
      return `\u2014 nobody.example/${index} ${bytes.toString('base64')}\n`
    })
  const cosigned: [what: string, lines: () => string[]][] = [
    ['fewer', () => [byFirst()]],
    ['other', () => [byFirst(SIGNED - 5), bySecond(SIGNED + 5)]],
    ['no', () => []],
    ['only unknown', junk],
  ]
  /** The cosignatures of the mirror's checkpoint that its policy knows. */
  const kept = () => {
    const known = new Set([byFirst(SIGNED), bySecond(SIGNED), bySecond(SIGNED + 5)])
    const here = readFileSync(join(at.dir, 'checkpoint'), 'utf8')
    return here.split(/(?<=\n)/).filter((line) => known.has(line))
  }

  test.each(cosigned)(
    'of one text, a source with %s cosignatures takes none away',
    async (what, lines) => {
      const latest = [byFirst(), bySecond(what === 'other' ? SIGNED + 5 : SIGNED)]
      for (const isFirst of [true, false]) {
        rmSync(at.dir, { recursive: true, force: true })
        const turns = [lines(), [byFirst(), bySecond()]]
        for (const turn of isFirst ? turns : turns.reverse()) {
          sign(...turn)
          await mirror('both')
        }
        expect(kept()).toEqual(latest)
        expect(await mirror('both', END + 100 * HOUR)).toMatchObject({ ok: true, findings: [] })
      }
    },
  )

  test('a spoilt cosignature is refused beside good ones, and the mirror stays as it was', async () => {
    const spoilt = witnesses[0].cosign('another text\n', SIGNED)
    sign(byFirst(), bySecond())
    await mirror('both')
    const before = filesIn(at.dir)
    for (const lines of [
      [spoilt, bySecond()],
      [bySecond(), spoilt],
      [byFirst(), spoilt],
      [spoilt, byFirst()],
    ]) {
      sign(...lines)
      expect(codesOf(await mirror('both'))).toEqual(['wrong_signature'])
      for (const [name, bytes] of before) expect(readFileSync(join(at.dir, name))).toEqual(bytes)
    }
  })

  test('a spoilt cosignature that the mirror has itself is replaced', async () => {
    const spoilt = witnesses[0].cosign('another text\n', SIGNED)
    sign(byFirst(), bySecond())
    await mirror('both')
    put(at.dir, 'checkpoint', note + spoilt + bySecond())
    expect(await mirror('both')).toMatchObject({ ok: true, findings: [] })
    expect(kept()).toEqual([byFirst(), bySecond()])
  })

  test('a source that has lost the signature of one of two keys of the log takes none away', async () => {
    const byOther = signNote(text, [{ name: ORIGIN, privateKey: testKey(2) }]).slice(
      text.length + 1,
    )
    const both = [vkeyOf(1), vkeyOf(2)].map(parseVkey)
    sign(byOther)
    const run = () => at.mirror({ keys: both, witnesses: demand('none') })
    await run()
    sign()
    await run()
    expect(readFileSync(join(at.dir, 'checkpoint'), 'utf8')).toBe(note + byOther)
  })
})
