// Checks archive/FORMAT.md against the code and the sample archive: its examples, its links and its tables.
// Rules: FORMAT.md 1.2-1.4, 3.2, 7.1, 8.6, 9.1-9.3, 10.1, 12.3-12.4, 14.1, 15.1-15.3, 16.2-16.4,
//   18.1-18.2, 19.2, 23.1.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CSV_COLUMNS, writeCsv } from '../../archive/format/csv.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { parseManifest } from '../../archive/format/manifest.ts'
import { mirrorSchema } from '../../archive/format/mirror.ts'
import { fieldsOf, parseSnapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import { daySums, sumsOfDay } from '../../archive/format/sums.ts'
import { checkpointText, openCheckpoint } from '../../archive/log/checkpoint.ts'
import { dayLeaf, parseLog } from '../../archive/log/days.ts'
import { parseVkey, signNote } from '../../archive/log/note.ts'
import { parseReceiptText } from '../../archive/log/receipt.ts'
import { rootOf } from '../../archive/log/tree.ts'
import { type FindingCode, isNote, SEVERITY } from '../../archive/verify/findings.ts'
import { COUNTER_NAMES, concludeDay } from '../../protocol/index.ts'
import { RECEIPT_TEXT } from '../fixtures/vectors/receipt-text.ts'
import { blocksOf, readDocument } from '../support/documents.ts'
import { ROOT } from '../support/imports.ts'
import { ORIGIN, testKey } from './signing.ts'

const document = readDocument('archive/FORMAT.md')
const blocks = blocksOf(document)
const linked = [...document.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)

function example(language: string, note = ''): string {
  const found = blocks.filter((block) => block.language === language && block.note === note)
  expect(found).toHaveLength(1)
  return `${found[0]?.text}\n`
}

/** Reads a file of the sample archive, which the document must link. */
function linkedSample(name: string): Buffer {
  const path = `vectors/sample/${name}`
  expect(linked).toContain(path)
  return sample(name)
}

const sample = (name: string) => readFileSync(join(ROOT, 'archive/vectors/sample', name))
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The cells of the table that follows a rule, row by row. */
function tableOf(rule: string): string[][] {
  const [, after = ''] = document.split(`**${rule} `)
  const [, table = ''] = /\n\n(\|.*?\n)(?!\|)/s.exec(after) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const namesIn = (cell = '') => [...cell.matchAll(/`([a-z_0-9]+)`/g)].map(([, name]) => name)

describe('the examples of the document', () => {
  test('the blocks of the document are the expected ones, in order', () => {
    expect(blocks.map(({ language, note }) => `${language} ${note}`.trim())).toEqual([
      'csv',
      'text checkpoint',
      'json entry',
      'text receipt',
    ])
  })

  test('every file that the document links exists', () => {
    expect(linked.length).toBeGreaterThan(0)
    const missing = linked.filter((path) => !existsSync(join(ROOT, 'archive', path)))
    expect(missing).toEqual([])
  })

  test('the example snapshot has two counters that are not available, and the conclusion that follows', () => {
    const snapshot = parseSnapshot(linkedSample('2026-11-20/2026-11-20.json'))
    expect(Object.values(snapshot.counters).filter((count) => count === null)).toHaveLength(2)
    expect(snapshot.conclusion).toBe(concludeDay(fieldsOf(snapshot)))
  })

  test('the example manifest names the snapshot that it embeds, and the example check file lists its files', () => {
    const bytes = linkedSample('2026-11-18/2026-11-18.manifest.json')
    const manifest = parseManifest(bytes)
    const file = snapshotBytes(manifest.snapshot)
    expect(file).toEqual(Uint8Array.from(sample('2026-11-18/2026-11-18.json')))
    expect(manifest.snapshot_file).toMatchObject({ sha256: sha256Of(file), bytes: file.length })
    const sums = linkedSample('2026-11-18/2026-11-18.sha256').toString()
    expect(sums).toBe(daySums(sumsOfDay(manifest, bytes)))
  })

  test('the example CSV is the row of a manifest of the sample archive, without what it does not have', () => {
    const manifest = parseManifest(sample('2026-11-20/2026-11-20.manifest.json'))
    expect(example('csv').replaceAll('\n', '\r\n')).toBe(writeCsv([manifest]))
  })

  test('the example receipt has the text that is signed, with the hashes of the text and the label that are named', () => {
    expect(example('text', 'receipt')).toBe(RECEIPT_TEXT)
    expect(parseReceiptText(RECEIPT_TEXT)).toMatchObject({
      origin: ORIGIN,
      message: { bodyHash: hashOf('Frost last night.'), labelHash: hashOf('Ada') },
    })
  })

  test('the example entry has the hash that the text states', () => {
    expect(document).toContain(`\`${hashOf(example('json', 'entry').trim())}\`:`)
  })
})

describe('the examples of the log', () => {
  const entries = parseLog(linkedSample('log'))
  const leaves = entries.map(dayLeaf)
  const checkpoint = example('text', 'checkpoint')

  test('the second and the fourth line of the example log are of one day', () => {
    expect(entries[3]?.day).toBe(entries[1]?.day)
  })

  test('the example checkpoint states the root of the log and is signed by the example key', () => {
    expect(checkpoint).toBe(sample('checkpoint').toString())
    const key = parseVkey(linkedSample('key').toString().trim())
    const opened = openCheckpoint(Buffer.from(checkpoint), [key])
    expect(opened).toMatchObject({ origin: ORIGIN, size: entries.length, root: rootOf(leaves) })
    const signer = { name: ORIGIN, privateKey: testKey(1) }
    expect(signNote(checkpointText(opened), [signer])).toBe(checkpoint)
  })
})

describe('the tables of the document', () => {
  test('the tables list the properties in the order of the files', () => {
    const listed = (rule: string) => tableOf(rule).flatMap(([cell]) => namesIn(cell))
    const manifest = parseManifest(sample('2026-11-18/2026-11-18.manifest.json'))
    expect(listed('3.1')).toEqual(Object.keys(manifest.snapshot))
    expect(listed('8.1')).toEqual(Object.keys(manifest))
    const { wav, png } = manifest.media
    expect(listed('8.2')).toEqual([...new Set([...Object.keys(wav), ...Object.keys(png)])])
    expect(listed('19.2')).toEqual(Object.keys(mirrorSchema.shape))
  })

  test('the tables list the twelve counters in their order', () => {
    expect(tableOf('4.1').flatMap(([cell]) => namesIn(cell))).toEqual(COUNTER_NAMES)
    expect(CSV_COLUMNS.slice(1, 13)).toEqual(COUNTER_NAMES)
  })

  const codesOf = (rows: string[][]) => [...new Set(rows.flatMap(([, , cell]) => namesIn(cell)))]

  test('the algorithm of a verifier has a step for each finding that needs no database', () => {
    const [, after = ''] = document.split('**12.1 ')
    const [algorithm = ''] = after.split('**12.2 ')
    const codes = codesOf(tableOf('12.3'))
    expect(codes.filter((code) => !algorithm.includes(`\`${code}\``))).toEqual([])
  })

  test('the tables list every finding code, and which of them are notes', () => {
    expect(codesOf(tableOf('12.3')).sort()).toEqual(Object.keys(SEVERITY).sort())
    const notes = codesOf(tableOf('12.3').filter(([step]) => step === 'note'))
    const codes = Object.keys(SEVERITY) as FindingCode[]
    expect(codes.filter((code) => isNote({ code, file: '', message: '' })).sort()).toEqual(
      notes.sort(),
    )
  })
})

function hashOf(text: string): string {
  return sha256Of(bytesOf(text))
}
