// Overwrites a published file of an archive, which is read-only.
import { chmodSync, writeFileSync } from 'node:fs'

export function overwriteFile(path: string, content: string | Uint8Array): void {
  chmodSync(path, 0o644)
  writeFileSync(path, content)
}
