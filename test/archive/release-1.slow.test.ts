// The film of release 1 comes back with the same bytes where the ffmpeg that made it is present.
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseManifest } from '../../archive/format/manifest.ts'
import { manifestName } from '../../archive/format/paths.ts'
import { type Ffmpeg, findFfmpeg } from '../../pipeline/render/ffmpeg.ts'
import { copyOfRelease1, FILMED, nameOf, published } from './release-1.ts'

/** The build that npm installs made the film; null where it does not run. */
function installedFfmpeg(): Ffmpeg | null {
  try {
    const { path } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string }
    return findFfmpeg({ FFMPEG_PATH: path })
  } catch {
    return null
  }
}

const ffmpeg = installedFfmpeg()
const made = parseManifest(published(FILMED, manifestName(FILMED))).rendered_with

it.skipIf(ffmpeg?.version !== made.ffmpeg)(
  'a film and a manifest that are lost come back with the bytes that release 1 published',
  async () => {
    const release = copyOfRelease1()
    for (const name of [manifestName(FILMED), nameOf(FILMED, 'mp4')]) {
      const path = join(release.archiveDir, FILMED, name)
      rmSync(path)
      expect(await release.repair(FILMED, ffmpeg)).toMatchObject({ status: 'repaired' })
      expect(readFileSync(path).equals(published(FILMED, name))).toBe(true)
    }
    release.remove()
  },
  120_000,
)
