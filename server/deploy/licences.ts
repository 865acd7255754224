// The licences of packages that a release contains or installs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the name, version and licence of each package, with the text of its licence if it has one.
 * @param folders the packages' folders in the project, such as `node_modules/zod`
 */
export function licencesOf(root: string, folders: readonly string[]): string {
  return folders.map((folder) => licenceOf(join(root, folder))).join('\n')
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${'='.repeat(80)}\n${name} ${version}, ${license}\n\n${text}\n`
}
