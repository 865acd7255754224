// Tests that a repair restores the missing or damaged files of a sealed day as they were published.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { openReader } from '../../../archive/reader.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { filenameOf, makeDay, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

/** The properties of the film of `makeDay`. */
const VIDEO = { duration_seconds: 29.16, width: 64, height: 36 }
/** Different from the tools of `makeDay`. */
const TOOLS = { node: '26.0.0', sharp: '0.36.0', ffmpeg: '8.0' }

describe('repair', () => {
  const wav = filenameOf(day, 'wav')

  it.each([
    ['missing', (path: string) => rmSync(path)],
    [
      'damaged',
      (path: string) => {
        overwriteFile(path, 'noise')
      },
    ],
  ])('a repair restores a %s media file under its name', async (_, harm) => {
    await publish(at.writer, day)
    harm(join(at.dir, DAY, wav))
    await at.writer.repair(DAY, 'wav', day.media.wav)
    const medium = await openReader(at.dir).openMedia(DAY, wav)
    expect(await new Response(await medium?.open()).bytes()).toEqual(new Uint8Array(day.media.wav))
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

  it('a repair replaces empty folders, but nothing that others created', async () => {
    await publish(at.writer, day)
    const works = [
      [wav, () => at.writer.repair(DAY, 'wav', day.media.wav)],
      [snapshotName(DAY), () => at.writer.repairSnapshot(DAY)],
    ] as const
    for (const [name, work] of works) {
      rmSync(join(at.dir, DAY, name))
      mkdirSync(join(at.dir, DAY, name, 'mine'), { recursive: true })
      expect(await refusal(work())).toEqual([
        'conflict',
        `${DAY}/${name}: is a folder with other files in it`,
      ])
      expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
      rmSync(join(at.dir, DAY, name, 'mine'), { recursive: true })
      await work()
      expect(statSync(join(at.dir, DAY, name)).isFile()).toBe(true)
    }
  })

  it('a repair rejects bytes that the manifest does not name, and leaves the day as it was', async () => {
    await publish(at.writer, day)
    const before = readdirSync(join(at.dir, DAY))
    const [code, message] = await refusal(at.writer.repair(DAY, 'png', picture(64, 36, 99)))
    expect(code).toBe('repair_mismatch')
    expect(message).toContain('what was rendered now has the SHA-256')
    expect(readdirSync(join(at.dir, DAY))).toEqual(before)
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

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
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(added)
    expect((await refusal(at.writer.addMedium(DAY, 'mp4', day.media.mp4, VIDEO, TOOLS)))[0]).toBe(
      'conflict',
    )
  })

  it('a repair restores the snapshot from the manifest', async () => {
    await publish(at.writer, day)
    rmSync(join(at.dir, DAY, snapshotName(DAY)))
    await at.writer.repairSnapshot(DAY)
    expect((await openReader(at.dir).snapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })

  it('a repair restores only a manifest that a seal proves, with or without a film', async () => {
    const mp4 = { available: false as const, reason: 'render_failed' as const }
    const without = { ...day.manifest, media: { ...day.manifest.media, mp4 } }
    await publish(at.writer, { ...day, manifest: without })
    const path = join(at.dir, DAY, manifestName(DAY))
    const { rendered_with } = day.manifest
    rmSync(path)
    expect(await at.writer.repairManifest(DAY, { ...rendered_with, node: '1' })).toBeNull()
    expect(existsSync(path)).toBe(false)
    expect(await at.writer.repairManifest(DAY, rendered_with)).toEqual(without)
    // Now there are two seals, and the files decide which manifest is restored.
    const added = await at.writer.addMedium(DAY, 'mp4', day.media.mp4, VIDEO, rendered_with)
    rmSync(path)
    expect(await at.writer.repairManifest(DAY, rendered_with)).toEqual(added)
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(added)
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
    rmSync(join(at.dir, '.seals'), { recursive: true })
    rmSync(path)
    expect(await at.writer.repairManifest(DAY, rendered_with)).toBeNull()
  })

  it('a repair recomposes a manifest with the tools that another day names', async () => {
    await publish(at.writer, day)
    await publish(at.writer, makeDay('2026-11-20', day))
    const path = join(at.dir, DAY, manifestName(DAY))
    rmSync(path)
    expect(await at.writer.repairManifest(DAY, TOOLS)).toEqual(day.manifest)
  })

  it('a repair of a day that is not sealed fails', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    expect((await refusal(at.writer.repair(DAY, 'wav', day.media.wav)))[0]).toBe('not_sealed')
    expect((await refusal(at.writer.repairSnapshot(DAY)))[0]).toBe('not_sealed')
    expect((await at.writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })
})
