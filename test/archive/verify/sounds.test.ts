// Tests that a WAV with the bytes that its snapshot encodes to needs no decoding, and that this proves as much (FORMAT.md 12.1).
// Rules: FORMAT.md 12.1.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import { soundOf } from '../../../archive/format/sound.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { concludeDay } from '../../../protocol/index.ts'
import { type Decoding, decodeWav } from '../../../protocol/receiver/index.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { makeDay, makeManifest, makeSnapshot, perCounter, writeDay } from '../days.ts'

/** Verifies a day whose WAV has these bytes. @returns its findings, and how many WAVs were decoded */
async function checkedWith(wav: Uint8Array, day = '2026-11-18') {
  const folder = temporaryFolder()
  const { snapshot, media } = makeDay(day, null)
  const given = { ...media, wav }
  writeDay(folder, { snapshot, media: given, manifest: makeManifest(snapshot, given) })
  let decoded = 0
  const decode = (bytes: Uint8Array): Decoding => {
    decoded++
    return decodeWav(bytes)
  }
  const { days } = await verifyArchive(folderPlace(folder), { decode })
  return { decoded, found: days.flatMap(({ findings }) => findings.map(({ code }) => code)) }
}

const SNAPSHOT = makeSnapshot('2026-11-18')

test('a WAV with the bytes of its snapshot is good without being decoded', async () => {
  expect(await checkedWith(soundOf(SNAPSHOT))).toEqual({ decoded: 0, found: [] })
})

test.each([
  ['a sample', 1_000_000],
  ['the last byte', -1],
])('a WAV that differs in %s is decoded, and good if it carries the day', async (_, at) => {
  const wav = soundOf(SNAPSHOT)
  const index = at < 0 ? wav.length + at : at
  wav[index] = (wav[index] as number) ^ 1
  expect(await checkedWith(wav)).toEqual({ decoded: 1, found: [] })
})

inFull('the sound of any day decodes to that day and to nothing else', () => {
  const count = fc.option(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { freq: 8 })
  const counts = fc.array(count, { minLength: 12, maxLength: 12 })
  const coverage = fc.constantFrom('none', 'partial', 'complete')
  const snapshots = fc.record({ counts, coverage }).map(({ counts, coverage }) => {
    const snapshot = makeSnapshot('2026-11-18', {
      counters: perCounter((i) => counts[i]?.toString() ?? null),
      coverage: { ...SNAPSHOT.coverage, status: coverage as Snapshot['coverage']['status'] },
    })
    return { ...snapshot, conclusion: concludeDay(fieldsOf(snapshot)) }
  })
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const { transmissions } = decodeWav(soundOf(snapshot))
      expect(transmissions).toHaveLength(1)
      expect(transmissions[0]?.fields).toEqual(fieldsOf(snapshot))
    }),
    { numRuns: 8 },
  )
})
