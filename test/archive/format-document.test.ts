// Parses every example of archive/FORMAT.md with the real code, and recomputes its hashes and sizes.
// Rules: FORMAT.md 1.2-1.4, 3.2, 7.1, 8.6, 9.3, 10.1, 11.1, 13.4-13.5, 16.1, 17.1-17.3, 18.2-18.4, 19.1-19.2,
//   20.1-20.3, 25.1.
import { describe, expect, test } from 'vitest'
import { CSV_COLUMNS, writeCsv } from '../../archive/format/csv.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { parseManifest } from '../../archive/format/manifest.ts'
import { factsOf } from '../../archive/format/media.ts'
import { parseSealName } from '../../archive/format/paths.ts'
import { fieldsOf, parseSnapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import { daySums, sumsOfDay } from '../../archive/format/sums.ts'
import { checkpointText, openCheckpoint } from '../../archive/log/checkpoint.ts'
import { dayLeaf, parseLog } from '../../archive/log/days.ts'
import { parseVkey, signNote } from '../../archive/log/note.ts'
import { checkpointProving, formatProof, parseProof } from '../../archive/log/proof.ts'
import { parseReceiptText } from '../../archive/log/receipt.ts'
import { recordsOf } from '../../archive/log/records.ts'
import { StoredTree } from '../../archive/log/stored-tree.ts'
import { leafHash, rootOf } from '../../archive/log/tree.ts'
import { type FindingCode, isNote, SEVERITY } from '../../archive/verify/findings.ts'
import { COUNTER_NAMES, concludeDay, encodeTransmission, writeWav } from '../../protocol/index.ts'
import { RECEIPT_TEXT } from '../fixtures/vectors/receipt-text.ts'
import { blocksOf, readDocument } from '../support/documents.ts'
import { ORIGIN, testKey } from './signing.ts'

const document = readDocument('archive/FORMAT.md')
const blocks = blocksOf(document)

function example(language: string, note = ''): string {
  const found = blocks.filter((block) => block.language === language && block.note === note)
  expect(found).toHaveLength(1)
  return `${found[0]?.text}\n`
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const snapshotFile = bytesOf(example('json', 'snapshot'))
const snapshot = parseSnapshot(snapshotFile)
const manifestFile = bytesOf(example('json', 'manifest'))
const manifest = parseManifest(manifestFile)

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
      'json snapshot',
      'json manifest',
      'csv',
      'json previous',
      'text seal',
      'text sums',
      'text log',
      'text checkpoint',
      'text key',
      'text proof',
      'json records',
      'text message',
      'text question',
      'json entry',
      'json message-proof',
      'json mirror',
      'text receipt',
    ])
  })

  test('the example snapshot has the size and hash that the text states', () => {
    expect(document).toContain(`These ${snapshotFile.length} bytes, with the LF at the end`)
    expect(document).toContain(`\`${sha256Of(snapshotFile)}\`:`)
  })

  test('the example snapshot has the conclusion that follows from its fields', () => {
    expect(snapshot.conclusion).toBe(concludeDay(fieldsOf(snapshot)))
  })

  test('the example manifest has the size and hash that the text states, and names the snapshot', () => {
    expect(document).toContain(`These ${manifestFile.length} bytes have the SHA-256`)
    expect(document).toContain(`\`${sha256Of(manifestFile)}\``)
    expect(snapshotBytes(manifest.snapshot)).toEqual(snapshotFile)
    expect(manifest.snapshot_file).toMatchObject({
      sha256: sha256Of(snapshotFile),
      bytes: snapshotFile.length,
    })
  })

  test('the WAV of the example snapshot is the one that the manifest names', () => {
    const wav = writeWav(encodeTransmission(fieldsOf(snapshot)))
    expect(manifest.media.wav).toMatchObject({
      sha256: sha256Of(wav),
      bytes: wav.length,
      ...factsOf('wav', wav),
    })
  })

  test('the example CSV is the row of the example manifest', () => {
    expect(example('csv').replaceAll('\n', '\r\n')).toBe(writeCsv([manifest]))
  })

  test('the example link and seal name the hashes of the snapshot and of the manifest', () => {
    const { day } = snapshot
    expect(JSON.parse(example('json', 'previous'))).toEqual({ day, sha256: sha256Of(snapshotFile) })
    const seal = parseSealName(example('text', 'seal').trim())
    expect(seal).toEqual({ day, sha256: sha256Of(manifestFile) })
  })
})

describe('the examples of the log', () => {
  const entries = parseLog(bytesOf(example('text', 'log')))
  const leaves = entries.map(dayLeaf)
  const checkpoint = example('text', 'checkpoint')
  const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

  test('the example check file lists the files of the example manifest', () => {
    expect(example('text', 'sums')).toBe(daySums(sumsOfDay(manifest, manifestFile)))
  })

  test('the example log ends with the example day, and has the leaf hash and root that the text states', () => {
    expect(entries.at(-1)).toEqual({ day: snapshot.day, sha256: sha256Of(manifestFile) })
    expect(document).toContain(`third leaf is \`${hex(leaves[2]!)}\``)
    expect(document).toContain(`the root is \`${hex(rootOf(leaves))}\``)
  })

  test('the example checkpoint states the root of the log and is signed by the example key', () => {
    const key = parseVkey(example('text', 'key').trim())
    const opened = openCheckpoint(Buffer.from(checkpoint), [key])
    expect(opened).toMatchObject({ origin: ORIGIN, size: 3, root: rootOf(leaves) })
    const signer = { name: ORIGIN, privateKey: testKey(1) }
    expect(signNote(checkpointText(opened), [signer])).toBe(checkpoint)
  })

  test('the example proof proves the example day', () => {
    const proof = example('text', 'proof')
    expect(formatProof({ index: 2, hashes: StoredTree.of(leaves).proofOf(2), checkpoint })).toBe(
      proof,
    )
    expect(checkpointProving(leaves[2]!, parseProof(Buffer.from(proof))).size).toBe(3)
  })

  test('the example records cover the two example messages, and the proof proves the first', () => {
    const data = ['message', 'question'].map((note) => example('text', note))
    const hashes = data.map((text) => leafHash(Buffer.from(text)))
    const ids = data.map((text) => BigInt(text.split('\n')[1]!))
    const stated = JSON.parse(example('json', 'records'))
    expect(recordsOf(ids.map((id, i) => ({ id, leaf: hashes[i]! })))).toEqual(stated)
    const proof = JSON.parse(example('json', 'message-proof'))
    expect(proof).toEqual({
      message_id: 3,
      day: snapshot.day,
      index: 0,
      count: 2,
      leaf: data[0],
      hashes: StoredTree.of(hashes).proofOf(0).map(hex),
      root: stated.root,
      snapshot_sha256: sha256Of(snapshotFile),
    })
  })

  test('the leaves of the two example messages contain the hashes of their texts, labels and entries', () => {
    const sha256 = (text: string) => sha256Of(Buffer.from(text))
    const lines = (note: string) => example('text', note).split('\n')
    expect(lines('message').slice(3, 4)).toEqual([sha256('Frost last night.')])
    expect(lines('message').slice(6, 8)).toEqual([sha256('Ada'), sha256('')])
    expect(lines('question').slice(3, 4)).toEqual([sha256('What thaws first?')])
    const entry = example('json', 'entry').trim()
    expect(lines('question').slice(6, 8)).toEqual([sha256(''), sha256(entry)])
  })
})

test('the example receipt has the text that is signed', () => {
  expect(example('text', 'receipt')).toBe(RECEIPT_TEXT)
  expect(parseReceiptText(RECEIPT_TEXT)).toMatchObject({ origin: 'archive.example/transmissions' })
})

describe('the tables of the document', () => {
  test('the tables list the properties in the order of the files', () => {
    const listed = (rule: string) => tableOf(rule).flatMap(([cell]) => namesIn(cell))
    expect(listed('3.1')).toEqual([...Object.keys(snapshot), 'records'])
    expect(listed('8.1')).toEqual(Object.keys(manifest))
    const { wav, png } = manifest.media
    expect(listed('8.2')).toEqual([...new Set([...Object.keys(wav), ...Object.keys(png)])])
  })

  test('the tables list the twelve counters in their order', () => {
    expect(tableOf('4.1').flatMap(([cell]) => namesIn(cell))).toEqual(COUNTER_NAMES)
    expect(CSV_COLUMNS.slice(1, 13)).toEqual(COUNTER_NAMES)
  })

  test('the algorithm of a verifier has a step for each finding that needs no database', () => {
    const [, after = ''] = document.split('**13.2 ')
    const [algorithm = ''] = after.split('**13.3 ')
    const rows = tableOf('13.4').filter((row) => !row.join().includes('with `--database`'))
    const codes = rows.map(([cell]) => namesIn(cell)[0] ?? '')
    expect(codes.filter((code) => !algorithm.includes(`\`${code}\``))).toEqual([])
  })

  test('the tables list every finding code, and which of them are notes', () => {
    const listed = tableOf('13.4').map(([cell, of]) => [namesIn(cell)[0] ?? '', of] as const)
    expect(listed.map(([code]) => code).sort()).toEqual(Object.keys(SEVERITY).sort())
    const notes = listed.filter(([, of]) => of === 'note').map(([code]) => code)
    const codes = Object.keys(SEVERITY) as FindingCode[]
    expect(codes.filter((code) => isNote({ code, file: '', message: '' })).sort()).toEqual(
      notes.sort(),
    )
  })
})
