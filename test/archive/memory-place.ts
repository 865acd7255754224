// An archive in memory, for tests that judge thousands of small archives.
import { badFile } from '../../archive/base/errors.ts'
import type { FileState, Place } from '../../archive/place/place.ts'

const MISSING = badFile('missing', 'is missing')

/** Returns a place with these files, by key. Changes of the map show. */
export function memoryPlace(files: ReadonlyMap<string, Uint8Array>): Place {
  const stateOf = (content: Uint8Array): FileState => ({
    bytes: content.length,
    version: String(content.length),
  })
  return {
    name: 'memory',
    nameOf: (key) => key,
    pathOf: () => null,
    addressOf: () => null,
    folders: async () => [...new Set([...files.keys()].map((key) => key.split('/')[0] ?? ''))],
    async stat(key) {
      const content = files.get(key)
      return content ? stateOf(content) : null
    },
    async read(key) {
      const content = files.get(key)
      return content ? { content, version: stateOf(content).version } : MISSING
    },
    async open(key, start, end) {
      const content = files.get(key)
      return content ? new Blob([Buffer.from(content.subarray(start, end + 1))]).stream() : MISSING
    },
  }
}
