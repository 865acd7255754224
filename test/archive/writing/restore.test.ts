// Tests what a writer adds to a sealed day, removes from it and refuses. What it restores is in pipeline/repair/repair.test.ts.
// Rules: FORMAT.md 8.4-8.5; WRITING.md 2.2-2.4.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { filenameOf, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

/** The properties of the film of `makeDay`. */
const VIDEO = { duration_seconds: 29.16, width: 64, height: 36 }
/** Different from the tools of `makeDay`. */
const TOOLS = { renderer: '1', node: '26.0.0', sharp: '0.36.0', ffmpeg: '8.0' }

/** Wall-clock time long after the files were written [ms since 1970]. */
const NOW = Date.parse('2100-01-01T00:00:00Z')

describe('repair', () => {
  const wav = filenameOf(day, 'wav')

  it('a repair adds an unavailable media file, and changes nothing else in the manifest', async () => {
    const without: Manifest = {
      ...day.manifest,
      media: { ...day.manifest.media, mp4: { available: false, reason: 'ffmpeg_not_found' } },
    }
    await publish(at.writer, { ...day, manifest: without })
    // Another missing media file does not prevent this.
    rmSync(join(at.dir, DAY, wav))
    const added = await at.writer.addMedium(DAY, 'mp4', day.media.mp4, VIDEO, TOOLS)
    const mp4 = { ...day.manifest.media.mp4, rendered_with: TOOLS }
    expect(added).toEqual({ ...day.manifest, media: { ...day.manifest.media, mp4 } })
    expect((await folderReader(at.dir).manifest(DAY))?.manifest).toEqual(added)
    expect((await refusal(at.writer.addMedium(DAY, 'mp4', day.media.mp4, VIDEO, TOOLS)))[0]).toBe(
      'conflict',
    )
  })

  it('a repair removes media files that the manifest does not name', async () => {
    await publish(at.writer, day)
    const { sha256 } = await at.writer.putMedium(DAY, 'png', picture(64, 36, 7))
    expect(await at.writer.removeOrphans(DAY, NOW)).toEqual([`${sha256}.png`])
    expect(await at.writer.removeOrphans(DAY, NOW)).toEqual([])
  })

  it('a repair of a day that is not sealed fails', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    expect((await refusal(at.writer.repair(DAY, 'wav', day.media.wav)))[0]).toBe('not_sealed')
    expect((await refusal(at.writer.repairSnapshot(DAY)))[0]).toBe('not_sealed')
    expect(await at.writer.fixedSnapshot(DAY)).toEqual(day.snapshot)
  })
})
