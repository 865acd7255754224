// Finds the addresses of messages in texts and sources (API.md 4.7).
import { MAX_ID } from '../../archive/format/scalars.ts'

export interface Address {
  id: bigint
  /** The host of a whole URL, with its port and any path before `/messages/`, in lower case; empty for a path alone. */
  host: string
}

/** The most addresses that count in one record. */
export const MAX_MENTIONS = 8

/** Separates an address from the words and marks around it. */
const SEPARATOR = /[\s()<>[\]{}"'`*|,;\u00ab\u00bb\u2018-\u201f\u3000-\u303f]+/

const ADDRESS = /^(?:https?:\/\/([^?#@\\]+?))?\/messages\/([1-9][0-9]{0,18})(?![\w/-])/

const LAST = /\/messages\/\d+$/

/**
 * Returns the addresses of messages in texts, in order of appearance: at most MAX_MENTIONS, each once. A path alone makes
 * whole URLs of the same message redundant.
 */
export function addressesIn(texts: readonly string[]): Address[] {
  const found = new Map<string, Address>()
  // Few texts contain any, and each write goes through here.
  const words = texts.filter((text) => text.includes('/messages/')).flatMap(wordsOf)
  for (const word of words) {
    const address = addressOf(word)
    if (address) found.set(`${address.host} ${address.id}`, address)
    if (found.size === MAX_MENTIONS) break
  }
  return [...found.values()].filter(({ id, host }) => host === '' || !found.has(` ${id}`))
}

/**
 * Returns the address that is the last line of a text, white space aside, and the text before it, which may be empty; undefined
 * if that line is anything else.
 */
export function answerIn(text: string): (Address & { before: string }) | undefined {
  const trimmed = text.trimEnd()
  const start = Math.max(trimmed.lastIndexOf('\n'), trimmed.lastIndexOf('\r')) + 1
  const line = trimmed.slice(start).trimStart()
  // Few texts end in one, and each text of a list goes through here.
  if (!line.startsWith('/messages/') && !line.startsWith('http')) return undefined
  const [word, ...others] = wordsOf(line)
  const address = others.length === 0 && word && LAST.test(word) ? addressOf(word) : undefined
  return address && { ...address, before: trimmed.slice(0, start).trimEnd() }
}

const wordsOf = (text: string): string[] => text.split(SEPARATOR)

function addressOf(word: string): Address | undefined {
  const [address, host = '', digits = '0'] = ADDRESS.exec(word) ?? []
  const id = BigInt(digits)
  return address === undefined || id > MAX_ID ? undefined : { id, host: host.toLowerCase() }
}

/** Returns the host of a base URL as it is compared with that of an address. */
export const hostOf = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '').toLowerCase()
