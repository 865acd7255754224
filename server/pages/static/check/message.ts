// Checks a message as `verify --receipt` does (COMMANDS.md 3.2), with the same code. Loaded when a visitor asks for it.
import './globals.ts'
import { MIRROR_FILE } from '../../../../archive/format/paths.ts'
import { CHECK_LIMITS, Client } from '../../../../archive/http/client.ts'
import { FetchFailure } from '../../../../archive/http/failure.ts'
import { ServicePlace } from '../../../../archive/place/served.ts'
import { verifyReceipt } from '../../../../archive/verify/receipt.ts'
import type { Judgement, Step } from '../../../../archive/verify/receipt-verdict.ts'
import { canVerify, withSignatures } from './crypto.ts'

/** How long to wait for a run in progress, before each of three times [ms]: somebody is watching. */
const PAUSE_MS = 1_000

export interface Checked extends Pick<Judgement, 'sentence'> {
  steps: Step[]
  isKept?: boolean
}

const UNABLE =
  'This browser cannot check signatures: it needs Ed25519, which browsers have since 2025, and HTTPS. The commands below can.'

/**
 * @param receiptUrl the receipt that the service gives
 * @param recordUrl the message, without an extension
 * @param kept the receipt that this browser has kept of the message, if it has
 * @throws TypeError, or Error with one line, if the service does not give the files
 */
export async function checkMessage(
  receiptUrl: string,
  recordUrl: string,
  kept: string | undefined,
): Promise<Checked> {
  if (!(await canVerify())) return { sentence: UNABLE, steps: [] }
  const urls = [receiptUrl, `${recordUrl}.txt`, `${recordUrl}.json`]
  const [receipt, text, message] = (await Promise.all(urls.map(bytesAt))) as Files
  const receipts = kept === undefined ? [receipt] : [new TextEncoder().encode(kept), receipt]
  return withSignatures(async () => {
    const steps: Step[] = []
    const { verdict, sentence } = await verifyReceipt(
      new Board(location.origin, new Client(CHECK_LIMITS)),
      { receipts, text, message },
      { now: Date.now(), pauseMs: PAUSE_MS, onStep: (step) => steps.push(step) },
    )
    return { sentence, steps, isKept: verdict === 'kept' }
  })
}

/** This service. It has messages, so it is no mirror: asking for `mirror.json` would only be an error in the console. */
class Board extends ServicePlace {
  override async read(key: string, bound?: number): ReturnType<ServicePlace['read']> {
    if (key === MIRROR_FILE) return { problem: new FetchFailure('missing', 'is missing') }
    return super.read(key, bound)
  }
}

type Files = [receipt: Uint8Array, text: Uint8Array, message: Uint8Array]

async function bytesAt(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { cache: 'no-cache' })
  if (!response.ok) throw new Error(`${url}: the service answers ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
