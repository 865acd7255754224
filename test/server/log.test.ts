// The log: lines for people on a terminal, JSON elsewhere.
import { expect, test } from 'vitest'
import { openLog } from '../../server/log.ts'

/** Writes entries to an output that is a terminal, or not, and returns what it received. */
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

test('a line on a terminal has the time, the level, the sentence and further details', () => {
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
