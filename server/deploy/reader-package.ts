// Builds the package daysignal-verify: verify, mirror, decode and encode in one file each, without dependencies, for
// machines that have only Node, also an older one than the service needs.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The oldest Node that the package runs on. */
const OLDEST_NODE = '20.12'

/** What the code uses and the oldest Node lacks. */
const ADDED = [
  'core-js/actual/iterator/index.js',
  'core-js/actual/map/group-by.js',
  'core-js/actual/promise/with-resolvers.js',
  'core-js/actual/set/index.js',
]

const README = `# daysignal-verify

Verifies, mirrors and decodes archives of Daysignal on a machine that has only Node ${OLDEST_NODE} or later.

\`\`\`sh
npx -y ./daysignal-verify-VERSION.tgz verify URL
npx -y ./daysignal-verify-VERSION.tgz --help
# mirror needs Node 22.13 or later, for the locks of its SQLite; npx brings one:
npx -y -p node@22 -p ./daysignal-verify-VERSION.tgz daysignal-verify mirror URL DIR
\`\`\`
`

/**
 * Writes the files of the package.
 * @param root the project's folder
 * @param folder an empty folder
 */
export async function writeReaderPackage(root: string, folder: string): Promise<void> {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['pipeline/commands/reader.ts', 'pipeline/commands/decoder-worker.ts'],
    inject: ADDED,
    outdir: join(folder, 'lib'),
    metafile: true,
    // So that node_modules may be a link.
    preserveSymlinks: true,
    bundle: true,
    splitting: true,
    // The commands are started by reader.ts, and by nothing else.
    define: { 'import.meta.main': 'false' },
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'esm',
    target: `node${OLDEST_NODE}`,
    charset: 'utf8',
    logLevel: 'error',
  })
  const manifest = {
    name: 'daysignal-verify',
    version,
    description: 'Verifies, mirrors and decodes archives of Daysignal.',
    license,
    type: 'module',
    bin: { 'daysignal-verify': 'lib/reader.js' },
    engines: { node: `>=${OLDEST_NODE}` },
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(folder, 'README.md'), README.replaceAll('VERSION', version))
  writeFileSync(join(folder, 'LICENSE'), readFileSync(join(root, 'LICENSE')))
  const bundled = Object.keys(metafile.inputs).flatMap((path) => packageOf(path) ?? [])
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licencesOf(root, [...new Set(bundled)].sort()))
}

/** The folder of the package that a file belongs to, such as `node_modules/zod`. */
const packageOf = (path: string): string | undefined =>
  /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

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
