// Renders the sounds and pictures of days once per worker: they take most of the time of a run.
import { fieldsOf, type Snapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import { renderPicture } from '../../pipeline/render/picture.ts'
import type { Rendering } from '../../pipeline/render/rendering.ts'
import { renderSound, type Sound } from '../../pipeline/render/sound.ts'
import type { Pipeline } from '../../pipeline/session.ts'
import { encodeFrame, toHex } from '../../protocol/index.ts'
import { keepDecoding } from '../archive/decoding.ts'

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

/** The renderers of a pipeline, whose results are shared and must not be modified. */
export const SHARED_RENDERERS: Pick<Pipeline, 'renderSound' | 'renderPicture'> = {
  renderSound: keeping<Sound>(
    (snapshot) => toHex(encodeFrame(fieldsOf(snapshot))),
    (snapshot) => {
      const sound = renderSound(snapshot)
      keepDecoding(sound.bytes, sound.decoding)
      return sound
    },
  ),
  renderPicture: keeping<Promise<Rendering>>(
    (snapshot) => Buffer.from(snapshotBytes(snapshot)).toString(),
    renderPicture,
  ),
}
