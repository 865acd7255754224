// The film of release 1 comes back with the same bytes where the ffmpeg that made it is present.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseManifest } from '../../archive/format/manifest.ts'
import { manifestName } from '../../archive/format/paths.ts'
import { findFfmpegs } from '../../pipeline/render/find-ffmpeg.ts'
import { copyOfRelease1, FILMED, nameOf, published } from './release-1.ts'

/** The build that npm installs made the film. */
const made = parseManifest(published(FILMED, manifestName(FILMED))).rendered_with
const ffmpeg = [...findFfmpegs({})].find(({ version }) => version === made.ffmpeg)

it.skipIf(ffmpeg === undefined)(
  'a lost video and manifest are restored with the bytes that release 1 published',
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
