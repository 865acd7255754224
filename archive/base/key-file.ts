// The file of a private key, and the earlier keys that it had, which stay next to it under longer names.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { link, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OWNER_ONLY, realDisk, replaceFile, writeNew } from './durable.ts'

export const hasKeyFile = (file: string): boolean => existsSync(file)

/** @throws NodeJS.ErrnoException */
export const readKeyFile = (file: string): Uint8Array => readFileSync(file)

/** The paths of the earlier keys, `<file>.<id>` with a key id of 8 hex digits, newest first. */
export function earlierKeyFiles(file: string): string[] {
  const prefix = `${basename(file)}.`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{8}$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(file), name))
    .sort()
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
}

/**
 * Creates the file, which exists only once it is complete.
 * @throws NodeJS.ErrnoException, also if the file exists
 */
export async function createKeyFile(file: string, content: string): Promise<void> {
  await writeNew(file, (partial) => writeFile(partial, content))
}

/**
 * Replaces the content of the file, and keeps the old one as `<file>.<id>`. After a kill at any moment, the file has
 * either the old or the new content.
 * @param temporary what is added to the name of the file while it is written
 * @throws NodeJS.ErrnoException
 */
export async function replaceKeyFile(
  file: string,
  id: string,
  content: string,
  temporary: string,
): Promise<void> {
  const earlier = `${file}.${id}`
  if (!existsSync(earlier)) await link(file, earlier)
  const name = basename(file)
  const bytes = Buffer.from(content)
  await replaceFile(realDisk, dirname(file), name + temporary, bytes, name, OWNER_ONLY)
}
