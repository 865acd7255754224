// Runs the vectors of trust policies and cosignatures, accepted and refused, and hostile policies.
// Rules: FORMAT.md 25.1-25.2.
import { describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { cosignaturesIn, parseCosigner } from '../../../archive/log/cosignature.ts'
import { parseNote } from '../../../archive/log/note.ts'
import { keysOfLog, parsePolicy } from '../../../archive/log/policy.ts'
import { readVectors } from '../vector-files.ts'

describe('policies', () => {
  type Accepted = {
    why: string
    policy: string
    quorum: { signed: string[]; is_quorum: boolean }[]
  }
  type Refused = { why: string; policy: string; code: string; line: number | null }
  const vectors = readVectors<{ accepted: Accepted[]; refused: Refused[] }>('policy.json')
  const parse = (text: string) => parsePolicy(Buffer.from(text))

  test.each(vectors.accepted)('a policy decides on a quorum: $why', ({ policy, quorum }) => {
    const { witnesses, isQuorum } = parse(policy)
    for (const { signed, is_quorum } of quorum)
      expect(isQuorum(witnesses.filter(({ name }) => signed.includes(name)))).toBe(is_quorum)
  })

  test.each(vectors.refused)('a policy is refused by its line: $why', ({ policy, code, line }) => {
    const message = line === null ? /^has no quorum line$/ : new RegExp(`^line ${line}: `)
    expect(() => parse(policy)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })

  test('an Ed25519 key of a log that has not 32 bytes is refused by its line', () => {
    const key = Buffer.from([1, ...Buffer.alloc(31)])
    const id = sha256Of(Buffer.concat([Buffer.from('a.example/log\n'), key])).slice(0, 8)
    const policy = `log a.example/log+${id}+${key.toString('base64')}\nquorum none\n`
    expect(() => parse(policy)).toThrow('line 1: the key has other than 32 bytes')
  })

  test('octets that are not UTF-8 may be in names and comments, and are distinct names', () => {
    const [{ policy }] = vectors.accepted.filter(({ why }) => why === 'any') as [Accepted]
    const bytes = Buffer.concat([
      Buffer.from([0x23, 0xff, 0xfe, 0x0a]),
      Buffer.from(
        policy.replaceAll(/ w1(?=[ \n])/g, ' \xe9').replaceAll(/ w2(?=[ \n])/g, ' \xc3\xa9'),
        'latin1',
      ),
    ])
    const { witnesses, isQuorum } = parsePolicy(bytes)
    expect(witnesses).toHaveLength(3)
    expect(witnesses.map((witness) => isQuorum([witness]))).toEqual([true, true, false])
  })

  test('a policy of a thousand groups within groups is decided', () => {
    const [{ policy }] = vectors.accepted.filter(({ why }) => why === 'one witness') as [Accepted]
    const [witness = ''] = policy.split('\n')
    const groups = Array.from({ length: 10_000 }, (_, i) => `group g${i + 1} any g${i}\n`).join('')
    const { witnesses, isQuorum } = parse(`${witness}\ngroup g0 any w1\n${groups}quorum g10000\n`)
    expect([isQuorum(witnesses), isQuorum([])]).toEqual([true, false])
  })

  test('the keys of a log are those with its origin as name and a type that is verified here', () => {
    const [{ policy }] = vectors.accepted.filter(({ why }) => why === 'keys of ML-DSA-44') as [
      Accepted,
    ]
    expect(keysOfLog(parse(policy), 'other.example/log')).toEqual([])
    const [, second] = vectors.accepted.filter(({ policy }) => policy.includes('log archive'))
    expect(
      keysOfLog(parse((second as Accepted).policy), 'archive.example/transmissions'),
    ).toHaveLength(1)
  })
})

describe('cosignatures', () => {
  type Vector = { why: string; known: string[]; note: string }
  type Accepted = Vector & { cosigned: { name: string; time: number }[] }
  const vectors: { accepted: Accepted[]; refused: (Vector & { code: string })[] } =
    readVectors('cosignature.json')
  const open = ({ known, note }: Vector) =>
    cosignaturesIn(parseNote(Buffer.from(note)), known.map(parseCosigner))

  test.each(vectors.accepted)('cosignatures are read: $why', (vector) => {
    const found = open(vector)
    expect(found.map(({ cosigner, time }) => ({ name: cosigner.name, time }))).toEqual(
      vector.cosigned,
    )
    for (const { line } of found) expect(vector.note).toContain(`\n${line}`)
  })

  test.each(vectors.refused)('a cosignature by a known key spoils the note: $why', (vector) => {
    expect(() => open(vector)).toThrow(expect.objectContaining({ code: vector.code }))
  })
})
