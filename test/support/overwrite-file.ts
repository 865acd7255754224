// Changes what an archive has published: its files are read-only.
import { chmodSync, writeFileSync } from 'node:fs'

export function overwriteFile(path: string, content: string | Uint8Array): void {
  chmodSync(path, 0o644)
  writeFileSync(path, content)
}
