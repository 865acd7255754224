// Fetches the files below a base address for verify.
import type { Client } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { problem, type SourceFile } from './source.ts'

export class HttpFiles {
  /** Without a trailing slash. */
  readonly base: string
  readonly #client: Client

  constructor(base: string, client: Client) {
    this.base = base
    this.#client = client
  }

  /**
   * Fetches a file of at most `limit` bytes.
   * @param path relative to the base address, with a leading slash
   */
  async read(path: string, limit: number): Promise<SourceFile> {
    try {
      return await this.#client.readTyped(this.base + path, limit)
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      return problem(error.code, error.message)
    }
  }
}
