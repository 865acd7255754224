// The package with which readers verify the archive without a checkout. Only a release has it (deploy/release.ts).
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../../../archive/base/version.ts'
import { type ServedFile, servedFile } from '../../http/static.ts'

/** Where a release has it, as a path from the project's folder. */
export const READER_PACKAGE = `server/pages/static/daysignal-verify-${VERSION}.tgz`

const path = join(import.meta.dirname, '../../..', READER_PACKAGE)

/** Undefined in a checkout. */
export const readerPackage: ServedFile | undefined = existsSync(path)
  ? servedFile(`/daysignal-verify-${VERSION}.tgz`, () => readFile(path))
  : undefined
