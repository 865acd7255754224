// A process that publishes days as the pipeline does, for a test to kill: DIR MEDIA DAY…
// It reads the media files from MEDIA, so that most of its time is spent in the writer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../../../archive/format/hash.ts'
import { eachKind, MEDIA_KINDS } from '../../../archive/format/media.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { openWriter } from '../../support/writers.ts'
import { makeManifest, makeSnapshot } from '../days.ts'

const [dir = '', mediaDir = '', ...days] = process.argv.slice(2)
const writer = await openWriter(dir, { create: true })
const reader = folderReader(dir)
process.stdout.write('writing\n')
for (const day of days) {
  const sealed = await reader.days()
  if (sealed.includes(day)) continue
  const last = sealed.at(-1)
  const before = last ? await reader.snapshot(last) : null
  const previous = before && { day: before.snapshot.day, sha256: sha256Of(before.bytes) }
  // Each run would take a different snapshot. Only a snapshot staged by an interrupted run keeps its bytes.
  const generated_at = new Date().toISOString()
  const snapshot =
    (await writer.fixedSnapshot(day)) ?? makeSnapshot(day, { previous, generated_at })
  await writer.fixSnapshot(snapshot)
  const file = (kind: string) => new Uint8Array(readFileSync(join(mediaDir, `${day}.${kind}`)))
  const media = eachKind(file)
  for (const kind of MEDIA_KINDS) await writer.putMedium(day, kind, media[kind])
  await writer.seal(makeManifest(snapshot, media))
}
