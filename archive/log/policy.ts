// Parses trust policies (C2SP tlog-policy): the logs and witnesses that somebody trusts, and the quorum of witnesses. Pure.
import { ArchiveError, orElse } from '../base/errors.ts'
import { type Cosigner, parseCosigner } from './cosignature.ts'
import { ED25519, parseAnyVkey, type Verifier } from './note.ts'
import { equal } from './tree.ts'

/** The largest file that is read as a policy [bytes]: far more than 32 logs, 32 witnesses and 32 groups need. */
export const MAX_POLICY_BYTES = 1024 * 1024

export interface PolicyWitness {
  /** Its name in the policy. */
  name: string
  key: Cosigner
  /** Its address, as written; null if there is none. */
  url: string | null
  /** The number of its line, from 1. */
  line: number
}

export interface Policy {
  /** All logs, of which those with an Ed25519 key can be verified here. */
  logs: readonly Verifier[]
  witnesses: readonly PolicyWitness[]
  /** Whether these witnesses are a quorum. */
  isQuorum(witnesses: readonly PolicyWitness[]): boolean
}

/** The name of the quorum that needs no witness. */
const NONE = 'none'

/** A group of witnesses and other groups. */
interface Group {
  threshold: number
  members: readonly string[]
}

/** What a name stands for, by name in the order of definition: a group names only what comes before it. */
type Names = ReadonlyMap<string, Group | PolicyWitness>

/**
 * Parses a policy strictly.
 * @throws ArchiveError `invalid_policy` naming the line
 */
export function parsePolicy(bytes: Uint8Array): Policy {
  const parser = new PolicyParser()
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  const rest = lines.pop()
  for (const [index, line] of lines.entries()) atLine(index + 1, () => parser.read(line, index + 1))
  if (rest !== '') throw invalidPolicy(`line ${lines.length + 1}: does not end with a line feed`)
  return parser.policy()
}

/** The keys by which a policy recognizes a log. */
export function keysOfLog({ logs }: Policy, origin: string): Verifier[] {
  return logs.filter(({ name, type }) => name === origin && type === ED25519)
}

class PolicyParser {
  readonly #logs: Verifier[] = []
  readonly #witnesses: PolicyWitness[] = []
  readonly #names = new Map<string, Group | PolicyWitness>()
  readonly #members = new Set<string>()
  #quorum: string | null = null

  /** @param line octets as Latin-1, without the line feed */
  read(line: string, number: number): void {
    const control = /[^\t\x20-\x7e\x80-\xff]/.exec(line)?.[0]
    if (control !== undefined)
      throw invalidPolicy(
        `has the control character 0x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
      )
    const [keyword, ...items] = line.split(/[ \t]+/).filter((item) => item !== '')
    if (keyword === undefined || keyword.startsWith('#')) return
    if (keyword === 'log') this.#readLog(items)
    else if (keyword === 'witness') this.#readWitness(items, number)
    else if (keyword === 'group') this.#readGroup(items)
    else if (keyword === 'quorum') this.#readQuorum(items)
    else throw invalidPolicy(`begins with ${shown(keyword)}, not log, witness, group or quorum`)
  }

  policy(): Policy {
    const quorum = this.#quorum
    if (quorum === null) throw invalidPolicy('has no quorum line')
    const names: Names = this.#names
    return {
      logs: this.#logs,
      witnesses: this.#witnesses,
      isQuorum: (witnesses) => quorum === NONE || signing(names, witnesses).has(quorum),
    }
  }

  #readLog([vkey = '', _url, ...more]: string[]): void {
    if (vkey === '' || more.length > 0) throw invalidPolicy('must be: log VKEY [URL]')
    const key = parseAnyVkey(textOf(vkey))
    if (!LOG_TYPES.includes(key.type)) throw new ArchiveError('invalid_key', 'is no key of a log')
    if (this.#logs.some(({ material }) => equal(material, key.material)))
      throw invalidPolicy('has the key of an earlier log')
    this.#logs.push(key)
  }

  #readWitness([name = '', vkey = '', url, ...more]: string[], line: number): void {
    if (vkey === '' || more.length > 0) throw invalidPolicy('must be: witness NAME VKEY [URL]')
    const key = parseCosigner(textOf(vkey))
    if (this.#witnesses.some((one) => equal(one.key.material, key.material)))
      throw invalidPolicy('has the key of an earlier witness')
    const address = url === undefined ? null : textOf(url)
    const witness = { name: shown(name), key, url: address, line }
    this.#define(name, witness)
    this.#witnesses.push(witness)
  }

  #readGroup([name = '', count = '', ...members]: string[]): void {
    if (members.length === 0) throw invalidPolicy('must be: group NAME all|any|K MEMBER...')
    for (const member of members) {
      if (!this.#names.has(member))
        throw invalidPolicy(`names ${shown(member)}, which is not defined before`)
      if (this.#members.has(member))
        throw invalidPolicy(`names ${shown(member)}, which is a member already`)
      this.#members.add(member)
    }
    this.#define(name, { threshold: thresholdOf(count, members.length), members })
  }

  #readQuorum([name = '', ...more]: string[]): void {
    if (name === '' || more.length > 0) throw invalidPolicy('must be: quorum NAME')
    if (this.#quorum !== null) throw invalidPolicy('is a second quorum line')
    if (name !== NONE && !this.#names.has(name))
      throw invalidPolicy(`names ${shown(name)}, which is not defined before`)
    this.#quorum = name
  }

  #define(name: string, meaning: Group | PolicyWitness): void {
    if (name === NONE) throw invalidPolicy(`defines ${NONE}, which always means no witness`)
    if (this.#names.has(name)) throw invalidPolicy(`defines ${shown(name)} again`)
    this.#names.set(name, meaning)
  }
}

/** The names of the witnesses and groups that have signed when these witnesses have. */
function signing(names: Names, witnesses: readonly PolicyWitness[]): Set<string> {
  const found = new Set<string>()
  for (const [name, meaning] of names) {
    const hasSigned =
      'key' in meaning
        ? witnesses.includes(meaning)
        : meaning.members.filter((member) => found.has(member)).length >= meaning.threshold
    if (hasSigned) found.add(name)
  }
  return found
}

function thresholdOf(text: string, members: number): number {
  if (text === 'any') return 1
  if (text === 'all') return members
  const threshold = Number(text)
  if (!/^[1-9][0-9]*$/.test(text) || threshold > members)
    throw invalidPolicy(`must have all, any or a number from 1 to ${members} before the members`)
  return threshold
}

/** The signature types that sign checkpoints of logs (C2SP signed-note): Ed25519, ECDSA, RFC 6962 and ML-DSA-44. */
const LOG_TYPES = [ED25519, 0x02, 0x05, 0x06]

/** Names the line in an error about it. */
function atLine(number: number, work: () => void): void {
  const rethrow = ({ code, message }: ArchiveError) => {
    throw invalidPolicy(`line ${number}: ${code === 'invalid_key' ? 'the key ' : ''}${message}`)
  }
  orElse(work, rethrow, 'invalid_policy', 'invalid_key')
}

/** Decodes octets as UTF-8; null if they are not. */
function utf8In(octets: string): string | null {
  const bytes = Buffer.from(octets, 'latin1')
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : null
}

/** Decodes a key or an address. @throws ArchiveError `invalid_policy` */
function textOf(octets: string): string {
  const text = utf8In(octets)
  if (text === null) throw invalidPolicy('has a key or an address that is not UTF-8')
  return text
}

/** A name for messages. Names are octets; what is not UTF-8 is shown as Latin-1. */
function shown(octets: string): string {
  return utf8In(octets) ?? octets
}

function invalidPolicy(message: string): ArchiveError {
  return new ArchiveError('invalid_policy', message)
}
