// Gives the modules of the archive what Node has and a browser lacks, in the script that checks a message: the first import,
// since some of them use it at once.
/*! Includes Zod: MIT License, Copyright (c) 2025 Colin McDonnell, https://zod.dev */
import { config } from 'zod'

// Nothing is compiled from text, which the pages' policy forbids.
config({ jitless: true })

type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64' | 'base64url'

class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8'): string {
    if (encoding === 'utf8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this)
    if (encoding === 'hex')
      return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const latin1 = Array.from(this, (byte) => String.fromCharCode(byte)).join('')
    if (encoding === 'latin1') return latin1
    const base64 = btoa(latin1)
    if (encoding === 'base64') return base64
    return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  }

  readBigUInt64BE(): bigint {
    return new DataView(this.buffer, this.byteOffset).getBigUint64(0)
  }
}

/** Like that of Node: what is no base64 gives no bytes, which a caller notices when it encodes them again. */
function decoded(text: string, encoding: Encoding): Bytes {
  if (encoding === 'utf8') return new Bytes(new TextEncoder().encode(text))
  if (encoding === 'hex')
    return new Bytes(Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)))
  const isBase64 = encoding === 'base64' && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  const latin1 = encoding === 'latin1' ? text : isBase64 && text.length % 4 === 0 ? atob(text) : ''
  return new Bytes(Array.from(latin1, (character) => character.charCodeAt(0)))
}

const Buffer = {
  from: (content: string | ArrayLike<number>, encoding: Encoding = 'utf8'): Bytes =>
    typeof content === 'string' ? decoded(content, encoding) : new Bytes(content),

  concat(parts: readonly Uint8Array[]): Bytes {
    const whole = new Bytes(parts.reduce((length, part) => length + part.length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  },
}

Object.assign(globalThis, { Buffer })

/** WebKit lacks it. */
async function* chunksOf(this: ReadableStream): AsyncGenerator<unknown> {
  const reader = this.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

if (!(Symbol.asyncIterator in ReadableStream.prototype))
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, { value: chunksOf })
