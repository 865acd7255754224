// Random histories of a board: records of all kinds in directories at all depths, and whatever an operator does to them.
import fc from 'fast-check'
import type { Reply } from './client.ts'
import type { Extent } from './crawl.ts'
import { operator } from './operator.ts'
import { idIn } from './publish.ts'
import type { SetClock, TestService } from './service.ts'

const KINDS = {
  directory: 3,
  message: 6,
  question: 2,
  contribution: 6,
  review: 3,
  hide: 4,
  show: 3,
  erase: 2,
  many: 1,
  blank: 1,
  switch: 1,
  day: 2,
} as const

/** What happens, and which of the records so far it concerns: each choice is taken modulo their number. */
export interface Step {
  kind: keyof typeof KINDS
  choices: readonly [number, number, number]
}

const choice = fc.nat({ max: 1_000 })

export const steps = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.oneof(
        ...(Object.keys(KINDS) as Step['kind'][]).map((kind) => ({
          weight: KINDS[kind],
          arbitrary: fc.constant(kind),
        })),
      ),
      choices: fc.tuple(choice, choice, choice),
    }),
    { minLength: length / 2, maxLength: length },
  )

const CONTRIBUTIONS = ['observation', 'attempt', 'correction', 'result', 'reuse'] as const
const RELATIONS = { correction: ['corrects'], reuse: ['reuses'] } as Record<string, string[]>
const OUTCOMES = ['substantiated', 'unsupported', 'withdrawn'] as const
const NAMES = ['a', 'a-b', 'a.b', 'b', '0', 'z_z'] as const
const LABELS = ['', 'Ada', 'Bé “\u{1f4fb}”', '<b>'] as const
const TEXTS = [
  'plain',
  'é “\u{1f4fb}” \u2028',
  'a\n\n  b\t<i>&amp;</i>',
  '"\\" {}',
  '\u0661',
] as const
const SWITCHES: readonly [string[], ...string[][]] = [
  ['mode', 'read-only'],
  ['feature', 'messages', 'off'],
  ['feature', 'investigations', 'off'],
]
const RESUMING: readonly [string[], ...string[][]] = [
  ['mode', 'open'],
  ['feature', 'messages', 'on'],
  ['feature', 'investigations', 'on'],
]

const DAY_MS = 86_400_000
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** A board to which steps happen. What the rules forbid does not happen. */
export class BoardHistory {
  readonly #service: TestService
  readonly #clock: SetClock
  readonly #directories: string[] = []
  readonly #messages: bigint[] = []
  readonly #investigations: bigint[] = []
  /** The question or contribution of each message that is one. */
  readonly #entries: bigint[] = []
  /** Texts, labels and titles that only one message has. */
  readonly #marks = new Map<bigint, string>()
  readonly #days: string[]
  #actions = 0

  constructor(service: TestService, clock: SetClock) {
    this.#service = service
    this.#clock = clock
    this.#days = [dayOf(clock.now())]
  }

  /** The days that have ended, ascending. */
  get endedDays(): string[] {
    return this.#days.slice(0, -1)
  }

  get extent(): Extent {
    return {
      messages: this.#messages.length,
      investigations: this.#investigations.length,
      days: this.endedDays,
      directories: this.#directories,
    }
  }

  /** 0 if there is none. */
  get lastMessage(): bigint {
    return this.#messages.at(-1) ?? 0n
  }

  /** A text that only this message has, for each message. */
  get marks(): ReadonlyMap<bigint, string> {
    return this.#marks
  }

  async take({ kind, choices }: Step): Promise<void> {
    this.#clock.pass(61_000)
    if (kind === 'day') this.endDay()
    else if (kind === 'directory') await this.#directory(choices)
    else if (kind === 'message' || kind === 'question' || kind === 'contribution')
      await this.#publish(kind, choices)
    else await this.#operate(this.#command(kind, choices))
  }

  /** Lets time pass until the next morning. */
  endDay(): void {
    const next = Date.parse(this.#days.at(-1) as string) + DAY_MS
    this.#days.push(dayOf(next))
    this.#clock.passTo(new Date(next + DAY_MS / 3).toISOString())
  }

  /** Takes back what was switched off, which no mirror knows of. */
  async resume(): Promise<void> {
    for (const words of RESUMING) await this.#operate(words)
  }

  async #directory([a, b, c]: Step['choices']): Promise<void> {
    const parent = a % 3 === 0 ? undefined : one(this.#directories, b)
    const name = one(NAMES, c)
    const path = parent === undefined ? name : `${parent}/${name}`
    const label = { author_label: one(LABELS, b) }
    if ((await this.#post('/api/v1/directories', { path, ...label })) !== null)
      this.#directories.push(path)
  }

  async #publish(
    kind: 'message' | 'question' | 'contribution',
    [a, b, c]: Step['choices'],
  ): Promise<void> {
    const mark = `mark ${this.#marks.size} ends.`
    const mention = b % 3 === 0 ? ` see /messages/${one(this.#messages, c) ?? 1}` : ''
    const written = { body: `${one(TEXTS, a)}${mention}\n${mark}`, author_label: one(LABELS, b) }
    const directory = one(this.#directories, c)
    const sources = Array.from({ length: b % 3 }, (_, i) => ({
      url: `https://example.org/${a}/${i}`,
      ...(i === 0 && { note: `${one(TEXTS, c)} ${mark}` }),
    }))
    const title = { title: `${one(TEXTS, b).replaceAll(/\s+/g, ' ')} ${mark}` }
    if (kind === 'message')
      return this.#published(mark, '/api/v1/messages', { directory, ...written })
    if (kind === 'question')
      return this.#published(mark, '/api/v1/investigations', {
        ...{ directory, ...title, ...written, sources },
      })
    const role = one(CONTRIBUTIONS, c)
    const target = one(this.#messages, b)
    const relation = one(RELATIONS[role] ?? ['extends', 'supports'], a)
    const links = target === undefined ? [] : [{ message_id: target, relation }]
    const path = `/api/v1/investigations/${one(this.#investigations, a) ?? 1}/contributions`
    return this.#published(mark, path, { kind: role, ...written, sources, links })
  }

  async #published(mark: string, path: string, body: object): Promise<void> {
    const answer = await this.#post(path, body)
    if (answer === null) return
    const message = idIn(answer)
    this.#messages.push(message)
    this.#marks.set(message, mark)
    if (path !== '/api/v1/messages') this.#entries.push(message)
    const { id } = answer.json as { id?: bigint }
    if (id !== undefined) this.#investigations.push(id)
  }

  async #post(path: string, body: object): Promise<Reply | null> {
    const reply = await this.#service.client.post(path, body)
    return reply.status === 201 ? reply : null
  }

  #command(kind: Step['kind'], [a, b, c]: Step['choices']): string[] {
    const message = String(one(this.#messages, a) ?? 1)
    if (kind === 'review') {
      const outcome = ['--outcome', one(OUTCOMES, b), '--evidence-note', c % 2 ? 'looked' : '']
      return ['review', String(one(this.#entries, a) ?? 1), ...outcome.slice(0, c % 2 ? 4 : 2)]
    }
    if (kind === 'hide' || kind === 'show') {
      if (b % 4 === 0) return [kind, 'directory', one(this.#directories, a) ?? 'none']
      if (b % 4 === 1) return [kind, 'investigation', String(one(this.#investigations, a) ?? 1)]
      return [kind, 'message', message]
    }
    if (kind === 'erase') return ['erase', 'message', message]
    if (kind === 'many') {
      const range = [
        '--from',
        message,
        '--to',
        String((one(this.#messages, a) ?? 1n) + BigInt(c % 5)),
      ]
      return [b % 2 === 0 ? 'hide' : 'show', 'messages', ...range]
    }
    if (kind === 'blank')
      return ['erase', b % 2 === 0 ? 'action' : 'review', String(1 + (a % (this.#actions + 1)))]
    return a % 3 === 0 ? one(SWITCHES, b) : one(RESUMING, b)
  }

  async #operate(words: readonly string[]): Promise<void> {
    const args = [...words, '--reason', `reason ${this.#actions}`]
    const { code, err } = await operator(this.#service, args)
    if (code === 0) this.#actions += 1
    else if (code !== 1 && code !== 2) throw new Error(err)
  }
}

function one<T>(items: readonly [T, ...T[]], at: number): T
function one<T>(items: readonly T[], at: number): T | undefined
function one<T>(items: readonly T[], at: number): T | undefined {
  return items[at % Math.max(items.length, 1)]
}
