// Tests the log: readable lines on a terminal, JSON elsewhere, and output that cannot be written.
// Rules: OPERATING.md 10.1.
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLog, standardOutput } from '../../../server/system/process-log.ts'
import { temporaryFolder } from '../../support/release.ts'

/** Writes entries to an output and returns what it received. */
function written(isTTY: boolean, level: string, write: (log: ReturnType<typeof openLog>) => void) {
  const chunks: string[] = []
  const output = {
    isTTY,
    write: (text: string | Uint8Array) => {
      chunks.push(String(text))
      return true
    },
  }
  write(openLog(level, output))
  return chunks.join('')
}

test('a line on a terminal has the time, the level, the message and the remaining fields', () => {
  const shown = written(true, 'info', (log) => {
    log.info({ url: 'http://x/' }, 'Daysignal listens on http://x/')
    log.warn({ code: 3 }, 'strange')
  })
  expect(shown.replaceAll(/^\d\d:\d\d:\d\d/gm, 'hh:mm:ss')).toBe(
    'hh:mm:ss info: Daysignal listens on http://x/\nhh:mm:ss warn: strange {"code":3}\n',
  )
})

test('a terminal shows the stack of an error', () => {
  const shown = written(true, 'info', (log) => log.error({ err: new Error('broken') }, 'failed'))
  expect(shown).toMatch(/error: failed.*broken.*log\.test\.ts/s)
})

test('any output other than a terminal gets one JSON object per line', () => {
  const shown = written(false, 'info', (log) => log.info({ day: '2026-11-19' }, 'published'))
  expect(JSON.parse(shown)).toMatchObject({ level: 30, day: '2026-11-19', msg: 'published' })
})

test('entries below the level are omitted', () => {
  for (const isTTY of [true, false])
    expect(written(isTTY, 'warn', (log) => log.info('quiet'))).toBe('')
})

describe('a pipe', () => {
  let dir: string
  let pipe: number
  beforeEach(() => {
    dir = temporaryFolder()
    execFileSync('mkfifo', [join(dir, 'pipe')])
    pipe = openSync(join(dir, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK)
  })
  afterEach(() => {
    closeSync(pipe)
  })

  const drain = () => {
    const buffer = Buffer.alloc(1024 * 1024)
    return buffer.toString('utf8', 0, readSync(pipe, buffer))
  }

  test('a log that cannot be written does not block, and later continues with its backlog', () => {
    const log = openLog('info', standardOutput(pipe))
    // Without a reader, the pipe is full after some hundred entries.
    for (let n = 0; n < 1300; n++) log.info({ n }, 'x'.repeat(60))
    let received = drain()
    // The backlog may leave no room in the pipe for the first of these.
    for (const n of ['read again', 'and again']) {
      log.info({ n }, 'there is room')
      received += drain()
    }
    const numbers = received
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).n)
    const count = numbers.length - 2
    const first = Array.from({ length: count }, (_, n) => n)
    expect(numbers).toEqual([...first, 'read again', 'and again'])
    expect(count).toBeGreaterThan(700)
  })

  test('an entry larger than the backlog arrives whole', () => {
    const output = standardOutput(pipe)
    const entry = `${'x'.repeat(100_000)}\n`
    output.write(entry)
    let received = drain()
    output.write('next\n')
    received += drain()
    expect(received).toBe(`${entry}next\n`)
  })

  test('the backlog is counted in bytes, whatever the characters', () => {
    writeSync(pipe, Buffer.alloc(64 * 1024))
    const output = standardOutput(pipe)
    for (let n = 0; n < 2; n++) output.write(`${n}${'é'.repeat(20_000)}\n`)
    drain()
    output.write('next\n')
    expect(drain()).toBe(`0${'é'.repeat(20_000)}\nnext\n`)
  })
})

test('a log on a full disk neither blocks nor throws', () => {
  const full = openSync('/dev/full', 'w')
  expect(() => openLog('info', standardOutput(full)).info('lost')).not.toThrow()
  closeSync(full)
})
