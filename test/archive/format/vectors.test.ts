// Runs the vectors of snapshots and manifests through every program that reads or writes them.
// Rules: FORMAT.md 1.2-1.5, 3.4, 5.4, 6.3, 20.3, 23.1.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { composeManifest, manifestBytes, parseManifest } from '../../../archive/format/manifest.ts'
import { eachKind } from '../../../archive/format/media.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { parseSnapshot, type Snapshot, snapshotBytes } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'

interface Vector {
  why: string
  code: string
  text: string
}

function readVectors<Content>(name: string): Content {
  const folder = new URL('../../../archive/vectors/', import.meta.url)
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const NONE = { available: false, reason: 'render_failed' } as const
const TOOLS = { renderer: '1', node: '24', sharp: '0', ffmpeg: null }

/** What a snapshot alone cannot be free of: its predecessor is not here, and not all ids are of its messages. */
const OF_OTHER_FILES = ['previous_missing', 'ids_not_consecutive']

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

/** Writes a day without media and leaves, whose predecessor is not archived. @returns the other codes that verify reports */
async function codesFor(snapshot: Snapshot): Promise<string[]> {
  const { day } = snapshot
  const manifest = composeManifest(
    snapshot,
    eachKind(() => NONE),
    TOOLS,
  )
  mkdirSync(join(dir, day))
  writeFileSync(join(dir, day, snapshotName(day)), snapshotBytes(snapshot))
  writeFileSync(join(dir, day, manifestName(day)), manifestBytes(manifest))
  const { days, findings } = await verifyArchive(folderPlace(dir))
  const found = [...findings, ...days.flatMap((one) => one.findings)]
  const others = found.filter(({ file }) => !file.endsWith('.leaves'))
  return others.map(({ code }) => code).filter((code) => !OF_OTHER_FILES.includes(code))
}

describe('snapshots', () => {
  const { accepted, refused, contradictory } = readVectors<{
    accepted: Vector[]
    refused: Vector[]
    contradictory: Vector[]
  }>('snapshot.json')
  const staged = () => readdirSync(dir).includes('.incoming')

  test.each(accepted)('a snapshot is read, written and verified: $why', async ({ text }) => {
    const snapshot = parseSnapshot(bytesOf(text))
    expect(Buffer.from(snapshotBytes(snapshot)).toString()).toBe(text)
    const writer = await openWriter(join(dir, 'new'), { create: true })
    expect(await writer.fixSnapshot(snapshot)).toEqual(snapshot)
    rmSync(join(dir, 'new'), { recursive: true })
    expect(await codesFor(snapshot)).toEqual([])
  })

  test.each(refused)('no program reads a snapshot: $why', ({ text }) => {
    expect(() => parseSnapshot(bytesOf(text))).toThrow(
      expect.objectContaining({ code: 'invalid_snapshot' }),
    )
  })

  test('an unknown version is reported as such, whatever else the file has', () => {
    const versions = refused.filter(({ why }) => why.startsWith('version 2'))
    expect(versions).toHaveLength(2)
    for (const { text } of versions)
      expect(() => parseSnapshot(bytesOf(text))).toThrow('snapshot: protocol_version: must be 1')
  })

  test.each(contradictory)(
    'a snapshot is read, but a verifier reports it: $why',
    async ({ code, text }) => {
      const snapshot = parseSnapshot(bytesOf(text))
      expect(await codesFor(snapshot)).toEqual([code])
      expect((await folderReader(dir).snapshot(snapshot.day))?.snapshot).toEqual(snapshot)
    },
  )

  test.each(contradictory.filter(({ code }) => code === 'invalid_snapshot'))(
    'the writer does not seal a snapshot: $why',
    async ({ text }) => {
      const writer = await openWriter(dir, { create: true })
      await expect(writer.fixSnapshot(parseSnapshot(bytesOf(text)))).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_snapshot' }),
      )
      expect(staged()).toBe(false)
    },
  )
})

describe('manifests', () => {
  const { accepted, refused } = readVectors<{ accepted: Vector[]; refused: Vector[] }>(
    'manifest.json',
  )

  test.each(accepted)('a manifest is read and written: $why', ({ text }) => {
    const manifest = parseManifest(bytesOf(text))
    expect(Buffer.from(manifestBytes(manifest)).toString()).toBe(text)
    expect(manifest.snapshot_file.sha256).toBe(sha256Of(snapshotBytes(manifest.snapshot)))
  })

  test.each(refused)('no program reads a manifest: $why', ({ text }) => {
    expect(() => parseManifest(bytesOf(text))).toThrow(
      expect.objectContaining({ code: 'invalid_manifest' }),
    )
  })
})
