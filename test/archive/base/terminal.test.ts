// One-line errors, tables and broken lines on a terminal.
import { describe, expect, it } from 'vitest'
import { lineOf } from '../../../archive/base/terminal.ts'
import { table, wrapped } from '../../../archive/base/terminal-text.ts'

describe('error lines', () => {
  it('an error is one line, whatever it contains', () => {
    expect(lineOf(new Error('one\n  two\n'))).toBe('one two')
    expect(lineOf('word')).toBe('word')
  })

  it('an error of the operating system names the file and the reason', () => {
    const error = Object.assign(new Error('ENOENT: …'), {
      code: 'ENOENT',
      syscall: 'open',
      path: '/a',
    })
    expect(lineOf(error)).toBe('/a: no such file or folder')
  })
})

it('a table has columns as wide as their widest cell, and no control characters', () => {
  const rows = [
    ['id', 'name'],
    ['100', 'a\u001b[2J\nb'],
  ]
  expect(table(rows)).toBe('id   name\n100  a [2J b')
})

describe('long lines', () => {
  const line = `  \u001b[31mbad\u001b[39m a fault ${'x'.repeat(30)} in a file`

  it('a line is broken between words where the terminal ends, and styles take no room', () => {
    expect(wrapped(line, 16, '    ').split('\n')).toEqual([
      '  \u001b[31mbad\u001b[39m a fault',
      `    ${'x'.repeat(30)}`,
      '    in a file',
    ])
    expect(wrapped('as long as it may be', 20, '    ')).toBe('as long as it may be')
  })

  it('a line stays whole where the output is no terminal', () => {
    expect(wrapped(line, undefined, '    ')).toBe(line)
  })
})
