// Renders `index.html`, an archive's page for plain file servers: days, files and hashes, no script. Pure.
import { CHECKPOINT_FILE, KEY_FILE, keyOf, LOG_FILE, parseMediaName, SUMS_FILE } from './paths.ts'
import type { Sum } from './sums.ts'

export interface ListedDay {
  day: string
  /** The day's files; null if it is damaged. */
  sums: readonly Sum[] | null
}

/**
 * Renders `index.html`. Every name in it is a day, a hash or a fixed word, so nothing needs escaping.
 * @param days ascending
 */
export function indexPage(days: readonly ListedDay[]): string {
  const files = [LOG_FILE, CHECKPOINT_FILE, KEY_FILE, SUMS_FILE]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Transmissions</title>
<style>body{font:1em/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}code{overflow-wrap:anywhere;font-size:.8em}</style>
<h1>Transmissions</h1>
<p>${days.length} days. The log of days and its keys: ${files.map((name) => link(name)).join(', ')}.
To check a copy of this folder: <code>sha256sum -c ${SUMS_FILE}</code></p>
${days.toReversed().map(section).join('')}</html>
`
}

function section({ day, sums }: ListedDay): string {
  if (!sums) return `<h2 id="${day}">${day}</h2>\n<p>This day is damaged.</p>\n`
  const items = sums.map(({ name, sha256 }) => {
    // A media file's name would repeat the hash shown next to it.
    const label = parseMediaName(name)?.kind ?? name
    return `<li>${link(keyOf(day, name), label)} <code>${sha256}</code></li>\n`
  })
  return `<h2 id="${day}">${day}</h2>\n<ul>\n${items.join('')}</ul>\n`
}

function link(path: string, label = path): string {
  return `<a href="${path}">${label}</a>`
}
