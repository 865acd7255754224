// Damages files of an archive, which are read-only once they are published.
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export function overwriteFile(path: string, content: string | Uint8Array): void {
  chmodSync(path, 0o644)
  writeFileSync(path, content)
}

/** Works while a published file has other content, and restores it. */
export async function whileOverwritten(
  path: string,
  content: string | Uint8Array,
  work: () => Promise<unknown>,
): Promise<void> {
  const whole = readFileSync(path)
  overwriteFile(path, content)
  try {
    await work()
  } finally {
    overwriteFile(path, whole)
  }
}

/** Works while a file or folder is not where it belongs. @param path of which `.away` must not exist */
export async function whileAway(path: string, work: () => Promise<unknown>): Promise<void> {
  renameSync(path, `${path}.away`)
  try {
    await work()
  } finally {
    renameSync(`${path}.away`, path)
  }
}
