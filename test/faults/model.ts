// A model of a board that shares no code with it: what its readers must see after what visitors and the operator have done.

/** A message that was acknowledged. */
export interface Posted {
  id: bigint
  body: string
  directory: string
  /** Of a question or contribution. */
  investigation: bigint | null
  /** When it was received, as its answer states [ms since 1970]. */
  at: number
  /** The day of its publication, once it is known. */
  day: string
}

/** What the operator has hidden, each by itself. */
export interface Hidden {
  messages: ReadonlySet<bigint>
  investigations: ReadonlySet<bigint>
  directories: ReadonlySet<string>
}

export interface OperatorAction {
  act: 'hide' | 'show' | 'erase'
  kind: 'message' | 'investigation' | 'directory'
  target: bigint | string
}

export class BoardModel {
  readonly messages = new Map<bigint, Posted>()
  /** Investigation -> the message of its question. */
  readonly questions = new Map<bigint, bigint>()
  /** The actions that changed something, in their order, as the public record lists them. */
  readonly actions: OperatorAction[] = []
  readonly erased = new Set<bigint>()
  readonly #hidden = {
    message: new Set<bigint | string>(),
    investigation: new Set<bigint | string>(),
    directory: new Set<bigint | string>(),
  }
  readonly #everHidden = new Set<bigint>()
  /** Odd while an action is in progress, whose effect may be visible or not. */
  #changes = 0

  post(message: Posted, opened?: bigint): void {
    if (this.messages.has(message.id)) throw new Error(`the id ${message.id} was given twice`)
    this.messages.set(message.id, message)
    if (opened !== undefined) this.questions.set(opened, message.id)
    if (!this.isVisible(message.id)) this.#everHidden.add(message.id)
  }

  /** A copy of what is hidden now. */
  get hidden(): Hidden {
    const { message, investigation, directory } = this.#hidden
    return {
      messages: new Set(message as Set<bigint>),
      investigations: new Set(investigation as Set<bigint>),
      directories: new Set(directory as Set<string>),
    }
  }

  /** Whether readers see a message. A hidden question hides its investigation, and a directory all below it (API.md 8.1). */
  isVisible(id: bigint, hidden: Hidden = this.hidden): boolean {
    const { directory, investigation } = this.messages.get(id) as Posted
    return (
      !hidden.messages.has(id) &&
      this.isOpen(directory, hidden) &&
      (investigation === null || this.isInvestigationOpen(investigation, hidden))
    )
  }

  /** Whether a directory can be written to. */
  isOpen(directory: string, { directories }: Hidden = this.hidden): boolean {
    return ![...directories].some((path) => directory === path || directory.startsWith(`${path}/`))
  }

  isInvestigationOpen(id: bigint, hidden: Hidden = this.hidden): boolean {
    const question = this.questions.get(id) as bigint
    const { directory } = this.messages.get(question) as Posted
    return (
      !hidden.investigations.has(id) &&
      !hidden.messages.has(question) &&
      this.isOpen(directory, hidden)
    )
  }

  get isChanging(): boolean {
    return this.#changes % 2 === 1
  }

  /** Notes that an action begins; `finish` states that it has taken effect. */
  begin(): void {
    this.#changes++
  }

  finish(action: OperatorAction): void {
    const { act, kind, target } = action
    const hidden = this.#hidden[kind]
    const isEffective =
      act === 'erase'
        ? !this.erased.has(target as bigint)
        : act === 'hide'
          ? !hidden.has(target)
          : hidden.has(target)
    if (act === 'erase') this.erased.add(target as bigint)
    else if (act === 'hide') hidden.add(target)
    else hidden.delete(target)
    if (isEffective) this.actions.push(action)
    const now = this.hidden
    for (const id of this.messages.keys()) if (!this.isVisible(id, now)) this.#everHidden.add(id)
    this.#changes++
  }

  /** Returns a function that states whether an answer to a question about visibility can be judged: nothing changed since. */
  watch(): () => boolean {
    const before = this.#changes
    return () => before === this.#changes && before % 2 === 0
  }

  /** The messages that a reader of cursors must have seen: those that were never hidden. */
  get alwaysVisible(): bigint[] {
    return [...this.messages.keys()].filter((id) => !this.#everHidden.has(id))
  }

  /** The messages that readers see, ascending. */
  get visible(): Posted[] {
    const hidden = this.hidden
    return [...this.messages.values()]
      .filter(({ id }) => this.isVisible(id, hidden))
      .sort((a, b) => Number(a.id - b.id))
  }

  /** The number of messages of a day that its counter states. */
  countOf(day: string, hidden: Hidden): number {
    return [...this.messages.values()].filter(
      (message) => message.day === day && this.isVisible(message.id, hidden),
    ).length
  }
}
