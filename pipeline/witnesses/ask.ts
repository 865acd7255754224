// Asks one witness to sign a checkpoint (C2SP tlog-witness, add-checkpoint), within fixed bounds (WRITING.md 5).
import { orNull } from '../../archive/base/errors.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { bytesOf } from '../../archive/http/body.ts'
import { Client, type ClientOptions } from '../../archive/http/client.ts'
import { type FetchedAnswer, type HttpRequest, startTimer } from '../../archive/http/exchange.ts'
import { FetchFailure } from '../../archive/http/failure.ts'
import { parseCount } from '../../archive/log/checkpoint.ts'
import { type Cosignature, validCosignature } from '../../archive/log/cosignature.ts'
import { parseNote, toBase64 } from '../../archive/log/note.ts'
import type { AskedWitness } from '../../archive/log/policy-file.ts'
import { consistencyProof, type Hash } from '../../archive/log/tree.ts'
import { CLOCK_TOLERANCE_MS } from '../../archive/log/witnessed.ts'

/** The most add-checkpoint requests for one checkpoint; one more may read what the witness knows. */
const MAX_SUBMISSIONS = 3
/** The most time for one witness [ms]. */
const MAX_TIME_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024

/** A checkpoint to be signed. */
export interface Submission {
  /** The signed note. */
  note: string
  origin: string
  /** The signed leaves. */
  leaves: readonly Hash[]
  /** Wall-clock time [ms since 1970]. */
  now: number
}

/** What a witness has answered. */
export type Reply =
  | { kind: 'signed'; cosignature: Cosignature }
  /** Nothing that can be used, and why. */
  | { kind: 'failed'; message: string }
  /** That it knows another log; with the checkpoint that it shows, if it shows one. */
  | { kind: 'claims'; message: string; shown: string | null }

/**
 * Asks a witness. Never rejects because of what the witness does.
 * @param known the size that it has signed last, as far as that is known
 * @throws the reason of the signal, when it is aborted
 */
export async function askWitness(
  witness: AskedWitness,
  submission: Submission,
  known: number,
  options: ClientOptions & { signal: AbortSignal },
): Promise<Reply> {
  const over = new AbortController()
  const expire = () => over.abort(new FetchFailure('unreachable', 'no answer within 10 s'))
  const timer = (options.startTimer ?? startTimer)(MAX_TIME_MS, expire)
  const signal = AbortSignal.any([options.signal, over.signal])
  const client = new Client({ ...options, stallMs: MAX_TIME_MS, signal })
  try {
    return await submit(witness, submission, client, known)
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof FetchFailure)) throw error
    return { kind: 'failed', message: error.message }
  } finally {
    timer.stop()
  }
}

/** @throws FetchFailure */
async function submit(
  witness: AskedWitness,
  submission: Submission,
  client: Client,
  known: number,
): Promise<Reply> {
  const size = submission.leaves.length
  const claim = (message: string) => claimed(witness, submission, client, message)
  let old = Math.min(known, size)
  for (let submissions = 1; ; submissions += 1) {
    const url = `${witness.url}/add-checkpoint`
    const { answer, body } = await sent(client, {
      method: 'POST',
      url,
      body: bodyFrom(submission, old),
    })
    const { status } = answer
    if (status === 200) return signedIn(witness, submission, body)
    if (status === 422) return claim('answers that the log does not continue the one it knows')
    if (status !== 409) return failed(MEANINGS[status] ?? `answers ${status}`)
    const theirs = sizeIn(answer, body)
    if (theirs !== null && theirs > size)
      return claim(`knows ${theirs} leaves of this log, which has ${size}`)
    // To another root of the same size, the protocol answers without a size.
    if (old === size) return claim(`does not accept this log at its size, ${size}`)
    if (theirs === null) return failed('answers 409 without the size that it knows')
    if (submissions === MAX_SUBMISSIONS) return failed(`answers 409 to ${submissions} requests`)
    old = theirs
  }
}

function bodyFrom({ leaves, note }: Submission, old: number): Uint8Array {
  // Of equal sizes the proof is empty, as it is from nothing.
  const proof = old === 0 ? [] : consistencyProof(leaves, old)
  const lines = [`old ${old}`, ...proof.map(toBase64)]
  return Buffer.from(`${lines.join('\n')}\n\n${note}`)
}

/** Takes the line that the witness's key has signed, now. */
function signedIn(witness: AskedWitness, { note, now }: Submission, body: Uint8Array): Reply {
  const { text } = parseNote(Buffer.from(note))
  const lines = Buffer.from(body)
    .toString()
    .split(/(?<=\n)/)
  const [cosignature] = lines.flatMap((line) => cosignatureIn(text, line, witness) ?? [])
  if (!cosignature) return failed('answers without a cosignature by its key')
  if (Math.abs(cosignature.time * 1000 - now) > CLOCK_TOLERANCE_MS)
    return failed('signs with a time that is more than 10 minutes from ours')
  return { kind: 'signed', cosignature }
}

/** Reads what the witness knows. That it cannot be read changes nothing. */
async function claimed(
  witness: AskedWitness,
  { origin }: Submission,
  client: Client,
  message: string,
): Promise<Reply> {
  const url = `${witness.url}/${sha256Of(origin)}/checkpoint`
  const read = await sent(client, { url }).catch((error) => {
    if (error instanceof FetchFailure) return null
    throw error
  })
  const shown = read?.answer.status === 200 ? Buffer.from(read.body).toString() : null
  return { kind: 'claims', message, shown }
}

/** @throws FetchFailure */
async function sent(client: Client, request: HttpRequest) {
  const answer = await client.send(request)
  try {
    const body = await bytesOf(answer, MAX_ANSWER_BYTES + 1)
    if (body.length <= MAX_ANSWER_BYTES) return { answer, body }
    throw new FetchFailure('too_large', `answers with more than ${MAX_ANSWER_BYTES} bytes`)
  } finally {
    answer.close()
  }
}

/** What the statuses mean that the protocol defines. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'answers that the request is malformed',
  403: 'does not accept the signatures of this log',
  404: 'does not know this log',
}

const failed = (message: string): Reply => ({ kind: 'failed', message })

/** The size that a 409 states; null unless it does so as the protocol demands. */
function sizeIn({ header }: FetchedAnswer, body: Uint8Array): number | null {
  const text = Buffer.from(body).toString('latin1')
  const isSize = header('content-type')?.split(';')[0]?.trim() === 'text/x.tlog.size'
  return isSize && text.endsWith('\n') ? parseCount(text.slice(0, -1)) : null
}

/** @returns null unless the line is a cosignature of the text by the witness */
function cosignatureIn(text: string, line: string, { key }: AskedWitness): Cosignature | null {
  const note = orNull(() => parseNote(Buffer.from(`${text}\n${line}`)), 'invalid_note')
  const [signature] = note?.signatures ?? []
  return signature ? validCosignature(text, [key], signature) : null
}
