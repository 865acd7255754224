// Composes checkpoints of the lines of the log's own keys and those of witnesses (WRITING.md 5.3). Pure.
import { type Cosigner, validCosignatures } from './cosignature.ts'
import {
  isSameSigner,
  MAX_SIGNATURES,
  type Note,
  parseNote,
  signatureLine,
  type Verifier,
} from './note.ts'

/** The keys whose lines a checkpoint may have. */
export interface CheckpointKeys {
  /** The log's own keys, newest first, of which all sign. */
  own: readonly Verifier[]
  /** Those of witnesses that are verified here, in the policy's order. */
  witnesses: readonly Cosigner[]
}

/** The number of own keys that leave a line for each witness: at least one. */
export function ownLines(witnesses: readonly Cosigner[]): number {
  return Math.max(1, MAX_SIGNATURES - witnesses.length)
}

/**
 * Unites checkpoints with one text: of each own key the first line, of each witness the valid one with the latest time,
 * and then, while there is room, the lines of the first checkpoint by unknown keys.
 * @param notes at least one; the first is returned as it is if it has these lines already
 */
export function unitedNote(notes: readonly string[], { own, witnesses }: CheckpointKeys): string {
  const [first = ''] = notes
  const parsed = notes.map((note) => parseNote(Buffer.from(note)))
  const text = (parsed[0] as Note).text
  const same = parsed.filter((note) => note.text === text)
  const all = same.flatMap(({ signatures }) => signatures)
  const byLog = own.slice(0, ownLines(witnesses)).flatMap((key) => {
    const signature = all.find((one) => isSameSigner(one, key))
    return signature ? [signatureLine(signature)] : []
  })
  const byWitnesses = validCosignatures(same, witnesses).map(({ line }) => line)
  const isUnknown = (one: Note['signatures'][number]) =>
    !own.some((key) => isSameSigner(one, key)) && !witnesses.some((key) => isSameSigner(one, key))
  const others = (same[0] as Note).signatures.filter(isUnknown).map(signatureLine)
  const lines = [...byLog, ...byWitnesses, ...others].slice(0, MAX_SIGNATURES)
  const present = new Set(first.slice(text.length + 1).split(/(?<=\n)/))
  const isSame = lines.length === present.size && lines.every((line) => present.has(line))
  return isSame ? first : `${text}\n${lines.join('')}`
}
