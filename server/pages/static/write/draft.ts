// Saves text that is not published yet as a draft in localStorage.
import { toHex } from '../../../../protocol/bits.ts'
import { readKept } from '../kept.ts'
import type { Field } from './request.ts'

export interface Draft {
  /** Created with the draft; part of the Idempotency-Key of its requests. */
  id: string
  fields: Field[]
}

/** Reads the draft of a form. If the browser denies storage, a draft lives only as long as its page. */
export function readDraft(name: string): Draft | undefined {
  const saved = readKept(name) as Draft | null
  return typeof saved?.id === 'string' && Array.isArray(saved.fields) ? saved : undefined
}

/** Deletes a draft, unless another tab has saved another one or changed this one since. */
export function deleteDraft(name: string, { id, fields }: Draft): void {
  const saved = readDraft(name)
  if (saved?.id === id && JSON.stringify(saved.fields) === JSON.stringify(fields))
    localStorage.removeItem(name)
}

/** A random id. crypto.randomUUID is missing over plain HTTP. */
export const newDraftId = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)))

/**
 * Returns the Idempotency-Key of a draft's text. The same text has the same key, so that a retry or a double click does
 * not publish it twice. Another text has another key, even in two tabs that show the same draft.
 */
export const keyOf = (draftId: string, text: string): string => `${draftId}.${fingerprint(text)}`

const FNV_OFFSET = 0xcbf29ce484222325n
const FNV_PRIME = 0x100000001b3n

/** 64-bit FNV-1a, in hex. crypto.subtle is missing over plain HTTP, and a collision would harm only its author. */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME)
  return hash.toString(16)
}
