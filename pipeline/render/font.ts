// The one way to sharp: with the project's own font and no other, so that text has the same pixels on every system.
import { fileURLToPath } from 'node:url'
import type Sharp from 'sharp'

/**
 * Loads sharp. fontconfig reads its settings from the environment once, before the first text is drawn: nothing
 * else in this process may load sharp by itself.
 */
export async function loadSharp(): Promise<typeof Sharp> {
  process.env.FONTCONFIG_FILE = fileURLToPath(new URL('fonts.conf', import.meta.url))
  // A folder that fontconfig would put before every path of the settings.
  delete process.env.FONTCONFIG_SYSROOT
  return (await import('sharp')).default
}
