// Renders the sounds and pictures of days once per worker: they take most of the time of a run.
import { sha256Of } from '../../archive/format/hash.ts'
import { fieldsOf, type Snapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import { soundOf } from '../../archive/format/sound.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import type { Rendering } from '../../pipeline/render/rendering.ts'
import { renderSound, type Sound } from '../../pipeline/render/sound.ts'
import type { RunTools } from '../../pipeline/run/session.ts'
import { encodeFrame, TRANSMISSION_SECONDS, toHex } from '../../protocol/index.ts'
import { picture } from '../archive/days.ts'
import { decode, keepDecoding } from '../archive/decoding.ts'

/** A sound has 3 MB. */
const MAX_RENDERINGS = 32

/** Returns a function that keeps the latest results by key. */
function keeping<T>(key: (snapshot: Snapshot) => string, render: (snapshot: Snapshot) => T) {
  const results = new Map<string, T>()
  return (snapshot: Snapshot): T => {
    const name = key(snapshot)
    const result = results.get(name) ?? render(snapshot)
    results.delete(name)
    results.set(name, result)
    if (results.size > MAX_RENDERINGS) results.delete(results.keys().next().value as string)
    return result
  }
}

const frameOf = (snapshot: Snapshot) => toHex(encodeFrame(fieldsOf(snapshot)))

type Renderers = Pick<RunTools, 'renderSound' | 'renderPicture'>

/** The renderers of a pipeline, whose results are shared and must not be modified. */
export const SHARED_RENDERERS: Renderers = {
  renderSound: keeping<Sound>(frameOf, (snapshot) => {
    const sound = renderSound(snapshot)
    keepDecoding(sound.bytes, sound.decoding)
    return sound
  }),
  renderPicture: keeping<Promise<Rendering>>(
    (snapshot) => Buffer.from(snapshotBytes(snapshot)).toString(),
    renderPicture,
  ),
}

/**
 * The same at a twentieth of the cost, for tests of anything else: the sound has the same bytes and is not decoded unless
 * somebody asks, and the picture is small.
 */
export const LIGHT_RENDERERS: Renderers = {
  renderSound: keeping<Sound>(frameOf, (snapshot) => {
    const bytes = soundOf(snapshot)
    return {
      bytes,
      properties: { duration_seconds: TRANSMISSION_SECONDS },
      get decoding() {
        return decode(bytes)
      },
    }
  }),
  renderPicture: async (snapshot) => {
    const size = { width: 64, height: 36 }
    const { generated_at: _, ...shown } = snapshot
    const shade = Number.parseInt(sha256Of(Buffer.from(JSON.stringify(shown))).slice(0, 2), 16)
    return { bytes: picture(size.width, size.height, shade), properties: size }
  },
}
