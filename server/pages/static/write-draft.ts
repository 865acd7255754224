// What was typed and is not published yet: kept in the browser, for each form and place.
import type { Field } from './write-request.ts'

export interface Draft {
  /** Made when the draft began: part of the key of all that is sent of it. */
  id: string
  fields: Field[]
}

/** The drafts of one form at one place. A browser may refuse to keep anything: then a draft lives as long as its page. */
export class DraftKeeper {
  readonly #name: string

  constructor(kind: string, place: string) {
    this.#name = `daysignal draft: ${kind} ${place}`
  }

  read(): Draft | undefined {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#name) ?? 'null')
      return typeof kept?.id === 'string' && Array.isArray(kept.fields) ? kept : undefined
    } catch {
      return undefined
    }
  }

  keep(draft: Draft): void {
    try {
      localStorage.setItem(this.#name, JSON.stringify(draft))
    } catch {
      // Refused, or full: what is typed stays on the page.
    }
  }

  /** Forgets a draft; not another one, nor what another tab has made of this one since. */
  drop({ id, fields }: Draft): void {
    const kept = this.read()
    if (kept?.id === id && JSON.stringify(kept.fields) === JSON.stringify(fields))
      localStorage.removeItem(this.#name)
  }
}

/** crypto.randomUUID is missing where the service is reached over plain HTTP. */
export function newDraftId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * The Idempotency-Key of a draft's text: the same for the same text, so that no retry and no second click publishes it
 * twice; another for another text, also in two tabs that show the same draft.
 */
export const keyOf = (draftId: string, text: string): string => `${draftId}.${fingerprint(text)}`

const FNV_OFFSET = 0xcbf29ce484222325n
const FNV_PRIME = 0x100000001b3n

/** FNV-1a of 64 bits, hex: crypto.subtle is missing over plain HTTP, and nobody gains by a collision with themselves. */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME)
  return hash.toString(16)
}
