// Names the statements of a connection, so that the server parses and plans each of them once and not at each query.

/** Far more than the service has queries; the server keeps the plans of all on each connection. */
const MAX_NAMES = 200

export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Returns the name of a statement; undefined once too many statements have one. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known
    const name = `statement ${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }
}
